import { execFileSync } from "node:child_process";
import {
	appendFileSync,
	existsSync,
	mkdirSync,
	mkdtempSync,
	readFileSync,
	realpathSync,
	rmSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { isAbsolute, join } from "node:path";
import type { Env } from "../../store/paths.ts";

export interface Ran {
	out: string;
	ms: number;
}

/** A throw-away home with ccg installed by its own installer, and a project; what happens here happens nowhere else. */
export interface DemoStage {
	root: string;
	home: string;
	project: string;
	store: string;
	transcript: string;
	session: string;
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
	const root = realpathSync(mkdtempSync(join(tmpdir(), "ccg-demo-")));
	const home = join(root, "home");
	const project = join(root, "ledger");
	const transcript = join(home, ".claude", "projects", "ledger", `${SESSION}.jsonl`);
	for (const folder of [join(home, ".claude", "projects", "ledger"), project]) mkdirSync(folder, { recursive: true });
	writeFileSync(transcript, "");
	// nothing of the caller's Claude Code gets in
	const env: Record<string, string> = {
		HOME: home,
		// a part that is relative would name programs of whatever folder this runs in
		PATH: (machine.PATH ?? "/usr/bin:/bin").split(":").filter(isAbsolute).join(":"),
		CLAUDE_CODE_AUTO_COMPACT_WINDOW: "200000",
		// what they print is shown, not obeyed
		NO_COLOR: "1",
	};
	const inSession = { ...env, CLAUDE_CODE_SESSION_ID: SESSION, CLAUDE_PROJECT_DIR: project };
	const base = { session_id: SESSION, transcript_path: transcript, cwd: project };
	const settings = () => JSON.parse(readFileSync(join(home, ".claude", "settings.json"), "utf8"));
	tryGit(project, env);
	const { start, end } = processes();
	const shell = (command: string, payload: object, inEnv: Record<string, string>): Promise<Ran> =>
		start(["/bin/sh", "-c", command], { cwd: project, env: inEnv, input: JSON.stringify(payload) });
	return {
		root,
		home,
		project,
		store: join(home, ".claude-memory"),
		transcript,
		session: SESSION,
		async fire(event, payload) {
			const commands = (settings().hooks?.[event] ?? []).flatMap(
				(group: { hooks: { command: string }[] }) => group.hooks,
			);
			const runs = commands.map(({ command }: { command: string }) =>
				shell(command, { ...base, hook_event_name: event, ...payload }, inSession),
			);
			const done: Ran[] = await Promise.all(runs);
			return { out: done.map(({ out }) => out).join(""), ms: Math.max(0, ...done.map(({ ms }) => ms)) };
		},
		statusLine: (payload, columns) =>
			shell(
				settings().statusLine.command,
				{ ...base, ...payload },
				{ ...inSession, COLUMNS: String(columns), NO_COLOR: hasColours ? "" : "1" },
			),
		async ccg(...args) {
			const ran = await start([launcher, ...args], { cwd: project, env, input: "" });
			if (ran.code !== 0) throw new Error(`ccg ${args.join(" ")} failed in the demo: ${ran.err.trim()}`);
			return ran;
		},
		append: (lines) => appendFileSync(transcript, lines.map((line) => `${line}\n`).join("")),
		async close() {
			await end();
			rmSync(root, { recursive: true, force: true, maxRetries: 3 });
		},
	};
}

interface Finished extends Ran {
	code: number;
	err: string;
}

function killGroup(pid: number): void {
	try {
		process.kill(-pid, "SIGKILL");
	} catch {
		// it ended in between
	}
}

/** Starts processes, and ends all that run when the demo is stopped. */
function processes() {
	const running = new Set<{ pid: number; exited: Promise<number> }>();
	let ended = false;
	return {
		async start(
			command: string[],
			{ cwd, env, input }: { cwd: string; env: Record<string, string>; input: string },
		): Promise<Finished> {
			const begun = performance.now();
			const pipes = { stdin: new Blob([input]), stdout: "pipe", stderr: "pipe" } as const;
			// in a group of its own: a shell that is killed leaves what it started behind
			const child = Bun.spawn(command, { cwd, env, ...pipes, detached: true });
			running.add(child);
			const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
			const code = await child.exited;
			running.delete(child);
			// whoever waits for it has nothing to go on with
			if (ended) await new Promise(() => {});
			return { out, err, code, ms: performance.now() - begun };
		},
		async end(): Promise<void> {
			ended = true;
			for (const { pid } of running) killGroup(pid);
			await Promise.all([...running].map(({ exited }) => exited));
		},
	};
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
