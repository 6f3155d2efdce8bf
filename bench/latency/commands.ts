import { copyFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { projectFolder } from "../../src/store/project.ts";
import { runOnce, statusLine } from "./hooks.ts";
import type { Stage } from "./stage.ts";
import type { Subject } from "./timed.ts";

/** The commands that the agent calls while it works, as its shell starts them: `ccg …` by the launcher's path. */
export function agentCommands(stage: Stage): Subject[] {
	return [saveNote(stage), listNotes(stage), checkpointTask(stage)];
}

/** One note into a MEMORY.md of 40; the file is put back before each run. */
function saveNote(stage: Stage): Subject {
	const path = join(projectFolder(stage.root, stage.remembered), "MEMORY.md");
	const before = join(stage.folder, "MEMORY.md");
	copyFileSync(path, before);
	return {
		...command(stage, "memory save", ["memory", "save", "the parser's tests run with npm test -- parser"]),
		prepare: () => copyFileSync(before, path),
		fault: (stdout) => (stdout.startsWith("saved in ") ? null : "nothing saved"),
	};
}

function listNotes(stage: Stage): Subject {
	return {
		...command(stage, "memory list", ["memory", "list"]),
		fault: (stdout) => (stdout.includes(" notes ") ? null : "no notes listed"),
	};
}

/** A checkpoint of a task that has begun, in a session that its status line has measured. */
function checkpointTask(stage: Stage): Subject {
	const words = ["--did", "wrote the lexer", "--outcome", "12 tests pass", "--next", "write the parser"];
	let begun = false;
	return {
		...command(stage, "task checkpoint", ["task", "checkpoint", ...words]),
		prepare: () => {
			if (begun) return;
			begun = true;
			rmSync(join(stage.root, "sessions", SESSION, "task-state.json"), { force: true });
			runOnce({ ...statusLine(stage), env: stage.env(SESSION, stage.remembered) });
			runOnce(command(stage, "task ensure", ["task", "ensure", "--goal", "Port the parser"]));
		},
		fault: (stdout) => (stdout.startsWith("OK\nsaved") ? null : "nothing saved"),
	};
}

/** The session that `statusLine` measures. */
const SESSION = "statusline";

function command(stage: Stage, name: string, args: string[]): Subject {
	return {
		name: `ccg ${name}`,
		argv: [stage.launcher, ...args],
		stdin: "",
		env: stage.env(SESSION, stage.remembered),
		cwd: stage.remembered,
	};
}
