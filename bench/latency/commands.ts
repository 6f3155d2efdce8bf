import { copyFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { projectDataFolder } from "../../src/store/project.ts";
import type { BenchSandbox } from "./bench-sandbox.ts";
import { runOnce, statusLine } from "./hooks.ts";
import type { Subject } from "./timed.ts";

/** The commands that the agent calls while it works, as its shell starts them: `ccg …` by the launcher's path. */
export function agentCommands(sandbox: BenchSandbox): Subject[] {
	return [saveNote(sandbox), listNotes(sandbox), checkpointTask(sandbox), version(sandbox)];
}

/** One note into a MEMORY.md of 40; the file is put back before each run. */
function saveNote(sandbox: BenchSandbox): Subject {
	const path = join(projectDataFolder(sandbox.root, sandbox.remembered), "MEMORY.md");
	const before = join(sandbox.folder, "MEMORY.md");
	copyFileSync(path, before);
	return {
		...command(sandbox, "memory save", ["memory", "save", "the parser's tests run with npm test -- parser"]),
		prepare: () => copyFileSync(before, path),
		fault: (stdout) => (stdout.startsWith("saved in ") ? null : "nothing saved"),
	};
}

function listNotes(sandbox: BenchSandbox): Subject {
	return {
		...command(sandbox, "memory list", ["memory", "list"]),
		fault: (stdout) => (stdout.includes("note 39:") ? null : "no notes listed"),
	};
}

const version = (sandbox: BenchSandbox): Subject => command(sandbox, "--version", ["--version"]);

/** In a session whose transcript the index holds and which was compacted. */
export const compactedCommands = (sandbox: BenchSandbox, sid: string): Subject[] => [
	{
		...command(sandbox, "recall", ["recall", "rework", "file-3"], { sid, project: sandbox.work }),
		fault: (stdout) => (stdout.includes("rework") ? null : "nothing found"),
	},
	{
		...command(sandbox, "checkpoint list", ["checkpoint", "list"], { sid, project: sandbox.work }),
		fault: (stdout) => (stdout.includes("precompact_") ? null : "nothing listed"),
	},
];

/** A checkpoint of a task that has begun, in a session that its status line has measured. */
function checkpointTask(sandbox: BenchSandbox): Subject {
	const words = ["--did", "wrote the lexer", "--outcome", "12 tests pass", "--next", "write the parser"];
	let begun = false;
	return {
		...command(sandbox, "task checkpoint", ["task", "checkpoint", ...words]),
		prepare: () => {
			if (begun) return;
			begun = true;
			rmSync(join(sandbox.root, "sessions", SESSION, "task-state.json"), { force: true });
			runOnce({ ...statusLine(sandbox), env: sandbox.env(SESSION, sandbox.remembered) });
			runOnce(command(sandbox, "task ensure", ["task", "ensure", "--goal", "Port the parser"]));
		},
		fault: (stdout) => (stdout.startsWith("OK\nsaved") ? null : "nothing saved"),
	};
}

/** The session that `statusLine` measures. */
const SESSION = "statusline";

function command(
	sandbox: BenchSandbox,
	name: string,
	args: string[],
	{ sid = SESSION, project = sandbox.remembered } = {},
): Subject {
	return {
		name: `ccg ${name}`,
		argv: [join(sandbox.root, "app", "current", "bin", "ccg"), ...args],
		stdin: "",
		env: sandbox.env(sid, project),
		cwd: project,
	};
}
