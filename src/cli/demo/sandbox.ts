import { appendFileSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, isAbsolute, join } from "node:path";
import { makeSandbox, registeredCommands, runRegistered, type Sandbox, sessionFields } from "../../doctor/sandbox.ts";
import { endAll, type Ran, runProcess } from "../../install/run-process.ts";
import { makeFolder } from "../../store/atomic-write.ts";
import type { Env } from "../../store/paths.ts";

/** What came of a program, or of several at once. */
export type DemoRun = Pick<Ran, "out" | "ms">;

/** A sandbox in which the recording is played. */
export interface DemoSandbox extends Omit<Sandbox, "env" | "machine"> {
	/** Runs every command registered for an event, as Claude Code would: through the shell, payload on stdin. */
	fire(event: string, payload: Record<string, unknown>): Promise<DemoRun>;
	statusLine(payload: Record<string, unknown>, columns: number): Promise<DemoRun>;
	/** Throws when it fails. */
	ccg(...args: string[]): Promise<DemoRun>;
	append(lines: string[]): void;
	/** Ends what still runs and deletes the folder. */
	close(): void;
}

const SESSION = "dec0de00-0000-4000-8000-000000000001";

/** `hasColours`: the status line keeps its colours, for a picture of it. */
export function demoSandbox(launcher: string, machine: Env, hasColours = false): DemoSandbox {
	const made = makeDemo(machine);
	const { top, home, project, transcript, env } = made;
	const registered = (event: string) => registeredCommands(home)[event] ?? [];
	const shell = (command: string, fields: object, more: Env = {}): Promise<DemoRun> => {
		const input = JSON.stringify({ ...sessionFields(made), ...fields });
		return runRegistered(command, made, { env: { ...env, ...more }, input });
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
			const ran = await runProcess([launcher, ...args], { cwd: project, env: made.machine });
			if (ran.code !== 0) throw new Error(`ccg ${args.join(" ")} failed in the demo: ${ran.err.trim()}`);
			return ran;
		},
		append: (lines) => appendFileSync(transcript, lines.map((line) => `${line}\n`).join("")),
		close() {
			endAll();
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
	makeFolder(dirname(transcript));
	writeFileSync(transcript, "");
	// what is taken beside the session would show a moment later or not
	makeFolder(made.store);
	writeFileSync(join(made.store, "config.json"), '{"checkpoints":{"usageShare":0}}\n', { mode: 0o600 });
	return { ...made, transcript };
}
