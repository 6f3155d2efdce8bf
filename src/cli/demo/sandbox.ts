import { appendFileSync, writeFileSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import { linkInstallation, makeSandbox, registeredCommands, runAsHook, sessionFields } from "../../doctor/sandbox.ts";
import { runProcess } from "../../install/run-process.ts";
import { makePrivateFolder } from "../../store/atomic-write.ts";
import type { Env } from "../../store/paths.ts";

const SESSION = "dec0de00-0000-4000-8000-000000000001";

export type DemoSandbox = ReturnType<typeof demoSandbox>;

/** Makes a home, project and store for the demo below `top`, and gives functions that run ccg there. `hasColours`: of the status line. */
export function demoSandbox(top: string, launcher: string, machine: Env, hasColours = false) {
	const folders = makeDemoFolders(top, machine);
	const { home, project, transcript, env } = folders;
	const sandboxCcg = linkInstallation(folders.store, launcher);
	const commandsFor = (event: string) => registeredCommands(home)[event] ?? [];
	const runInShell = (command: string, fields: object, moreEnv: Env = {}) => {
		const input = JSON.stringify({ ...sessionFields(folders), ...fields });
		return runAsHook(command, folders, { env: { ...env, ...moreEnv }, input });
	};
	return {
		...folders,
		/** Runs every command registered for an event, as Claude Code would: through the shell, payload on stdin. */
		async fire(event: string, fields: object) {
			const runs = commandsFor(event).map((command) => runInShell(command, { hook_event_name: event, ...fields }));
			const results = await Promise.all(runs);
			return { out: results.map(({ out }) => out).join(""), ms: Math.max(0, ...results.map(({ ms }) => ms)) };
		},
		statusLine: (fields: object, columns: number) =>
			runInShell(commandsFor("statusLine")[0]!, fields, { COLUMNS: String(columns), NO_COLOR: hasColours ? "" : "1" }),
		/** Runs a command of ccg and gives its output. Throws when it fails. */
		async ccg(...args: string[]): Promise<string> {
			const { code, out, err } = await runProcess([sandboxCcg, ...args], { cwd: project, env: folders.machineEnv });
			if (code !== 0) throw new Error(`ccg ${args.join(" ")} failed in the demo: ${err.trim()}`);
			return out;
		},
		append: (lines: string[]) => appendFileSync(transcript, lines.map((line) => `${line}\n`).join("")),
	};
}

/** Makes the folders of the sandbox, an empty transcript and the configuration of its store. */
function makeDemoFolders(top: string, callerEnv: Env) {
	const machine = {
		// (no other variable of the caller; relative folders would name programs of the folder this runs in)
		PATH: (callerEnv.PATH ?? "/usr/bin:/bin").split(":").filter(isAbsolute).join(":"),
		CLAUDE_CODE_AUTO_COMPACT_WINDOW: "200000",
		// (the demo shows what commands print with every control written out)
		NO_COLOR: "1",
	};
	const folders = makeSandbox(top, { sid: SESSION, name: "ledger", machine });
	const transcript = join(folders.home, ".claude", "projects", "ledger", `${SESSION}.jsonl`);
	makePrivateFolder(dirname(transcript));
	writeFileSync(transcript, "");
	// no checkpoints by usage: a process beside the session takes them, so their effect would show a moment later or not
	makePrivateFolder(folders.store);
	writeFileSync(join(folders.store, "config.json"), '{"checkpoints":{"usageShare":0}}\n', { mode: 0o600 });
	return { ...folders, transcript };
}
