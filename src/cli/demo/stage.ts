import { execFileSync } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, isAbsolute, join } from "node:path";
import {
	endableRuns,
	makeSandbox,
	registeredCommands,
	runRegistered,
	type Sandbox,
	sessionFields,
} from "../../doctor/sandbox.ts";
import type { Env } from "../../store/paths.ts";

export interface Ran {
	out: string;
	ms: number;
}

/** A sandbox with ccg installed by its own installer, and the repository of the recording. */
export interface DemoStage extends Omit<Sandbox, "env" | "machine"> {
	/** Runs every command registered for an event, as Claude Code would: through the shell, payload on stdin. */
	fire(event: string, payload: Record<string, unknown>): Promise<Ran>;
	statusLine(payload: Record<string, unknown>, columns: number): Promise<Ran>;
	/** Throws when it fails. */
	ccg(...args: string[]): Promise<Ran>;
	append(lines: string[]): void;
	/** Ends what still runs and deletes the folder. What waits for a process then waits for good. */
	close(): Promise<void>;
}

const SESSION = "dec0de00-0000-4000-8000-000000000001";

/** `hasColours`: the status line keeps its colours, for a picture of it. */
export function demoStage(launcher: string, machine: Env, hasColours = false): DemoStage {
	const made = makeDemo(machine);
	const { top, home, project, transcript, env } = made;
	const { run, end } = endableRuns();
	const registered = (event: string) => registeredCommands(home)[event] ?? [];
	const shell = (command: string, fields: object, more: Env = {}): Promise<Ran> => {
		const input = JSON.stringify({ ...sessionFields(made), ...fields });
		return runRegistered(command, made, { env: { ...env, ...more }, input }, run);
	};
	return {
		...made,
		async fire(event, fields) {
			const runs = registered(event).map((command) => shell(command, { hook_event_name: event, ...fields }));
			const done = await Promise.all(runs);
			return { out: done.map(({ out }) => out).join(""), ms: Math.max(0, ...done.map(({ ms }) => ms)) };
		},
		statusLine: (fields, columns) =>
			shell(registered("statusLine")[0]!, fields, { COLUMNS: String(columns), NO_COLOR: hasColours ? "" : "1" }),
		async ccg(...args) {
			const ran = await run([launcher, ...args], { cwd: project, env: made.machine });
			if (ran.code !== 0) throw new Error(`ccg ${args.join(" ")} failed in the demo: ${ran.err.trim()}`);
			return ran;
		},
		append: (lines) => appendFileSync(transcript, lines.map((line) => `${line}\n`).join("")),
		async close() {
			await end();
			rmSync(top, { recursive: true, force: true, maxRetries: 3 });
		},
	};
}

function makeDemo(env: Env): Sandbox {
	const machine = {
		// nothing else of the caller's gets in; a part that is relative would name programs of whatever folder this runs in
		PATH: (env.PATH ?? "/usr/bin:/bin").split(":").filter(isAbsolute).join(":"),
		CLAUDE_CODE_AUTO_COMPACT_WINDOW: "200000",
		// what they print is shown, not obeyed
		NO_COLOR: "1",
	};
	const top = realpathSync(mkdtempSync(join(tmpdir(), "ccg-demo-")));
	const made = makeSandbox(top, { sid: SESSION, name: "ledger", machine });
	const transcript = join(made.home, ".claude", "projects", "ledger", `${SESSION}.jsonl`);
	mkdirSync(dirname(transcript), { recursive: true });
	writeFileSync(transcript, "");
	tryGit(made.project, made.machine);
	return { ...made, transcript };
}

/** The project as the recording left it; without git the demo shows a workspace without git. */
function tryGit(project: string, env: Env): void {
	mkdirSync(join(project, "src"));
	writeFileSync(join(project, "README.md"), "# ledger\n");
	const git = (...args: string[]): void =>
		void execFileSync("git", ["-c", "user.name=Demo", "-c", "user.email=demo@example.invalid", ...args], {
			cwd: project,
			env: env as NodeJS.ProcessEnv,
			stdio: "ignore",
		});
	try {
		git("init", "-q", "-b", "importer");
		git("add", "-A");
		git("commit", "-qm", "Refuse broken lines");
		writeFileSync(join(project, "src", "import.mjs"), "// begun\n");
	} catch {
		if (!existsSync(join(project, "src", "import.mjs")))
			writeFileSync(join(project, "src", "import.mjs"), "// begun\n");
	}
}
