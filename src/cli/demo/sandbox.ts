import { appendFileSync, writeFileSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import { lieIn, makeSandbox, registeredCommands, runRegistered, sessionFields } from "../../doctor/sandbox.ts";
import { runProcess } from "../../install/run-process.ts";
import { makeFolder } from "../../store/atomic-write.ts";
import type { Env } from "../../store/paths.ts";

const SESSION = "dec0de00-0000-4000-8000-000000000001";

export type DemoSandbox = ReturnType<typeof demoSandbox>;

/** Makes the demo's sandbox below `top`; `hasColours`: the status line keeps its colours, for a picture of it. */
export function demoSandbox(top: string, launcher: string, machine: Env, hasColours = false) {
	const folders = makeDemo(top, machine);
	const { home, project, transcript, env } = folders;
	const ownLauncher = lieIn(folders.store, launcher);
	const registered = (event: string) => registeredCommands(home)[event] ?? [];
	const runInShell = (command: string, fields: object, more: Env = {}) => {
		const input = JSON.stringify({ ...sessionFields(folders), ...fields });
		return runRegistered(command, folders, { env: { ...env, ...more }, input });
	};
	return {
		...folders,
		/** Runs every command registered for an event, as Claude Code would: through the shell, payload on stdin. */
		async fire(event: string, fields: object) {
			const runs = registered(event).map((command) => runInShell(command, { hook_event_name: event, ...fields }));
			const done = await Promise.all(runs);
			return { out: done.map(({ out }) => out).join(""), ms: Math.max(0, ...done.map(({ ms }) => ms)) };
		},
		statusLine: (fields: object, columns: number) =>
			runInShell(registered("statusLine")[0]!, fields, { COLUMNS: String(columns), NO_COLOR: hasColours ? "" : "1" }),
		/** Runs a command of ccg and gives its output. Throws when it fails. */
		async ccg(...args: string[]): Promise<string> {
			const { code, out, err } = await runProcess([ownLauncher, ...args], { cwd: project, env: folders.machine });
			if (code !== 0) throw new Error(`ccg ${args.join(" ")} failed in the demo: ${err.trim()}`);
			return out;
		},
		append: (lines: string[]) => appendFileSync(transcript, lines.map((line) => `${line}\n`).join("")),
	};
}

/** Makes the sandbox's folders, an empty transcript and the configuration of its store. */
function makeDemo(top: string, env: Env) {
	const machine = {
		// nothing else of the caller's gets in; a part that is relative would name programs of whatever folder this runs in
		PATH: (env.PATH ?? "/usr/bin:/bin").split(":").filter(isAbsolute).join(":"),
		CLAUDE_CODE_AUTO_COMPACT_WINDOW: "200000",
		// (the demo shows what commands print with every control written out)
		NO_COLOR: "1",
	};
	const made = makeSandbox(top, { sid: SESSION, name: "ledger", machine });
	const transcript = join(made.home, ".claude", "projects", "ledger", `${SESSION}.jsonl`);
	makeFolder(dirname(transcript));
	writeFileSync(transcript, "");
	// no checkpoints by usage: a process beside the session takes them, so their effect would show a moment later or not
	makeFolder(made.store);
	writeFileSync(join(made.store, "config.json"), '{"checkpoints":{"usageShare":0}}\n', { mode: 0o600 });
	return { ...made, transcript };
}
