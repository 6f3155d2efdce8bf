import type { Command } from "commander";
import type { EditOptions } from "../acts/memory-edit.ts";
import type { MoveOptions } from "../acts/memory-move.ts";
import type { Io } from "../support/io.ts";

/** `ccg memory edit | move`: changes of one note of MEMORY.md. */
export function registerChanges(
	memory: Command,
	io: Io,
	{ now, stdin }: { now: () => Date; stdin: () => string },
): void {
	memory
		.command("edit")
		.description(
			"put a new text in the place of one note of MEMORY.md; without a text, show the notes with their numbers",
		)
		.argument("[note]", "its number, its text, or a part of its text that no other note has")
		.argument("[text...]", "the new text; - reads it from stdin")
		.option("--global", "of the notes for all projects instead of this one's")
		.option("--anyway", "also when another note says nearly the same")
		.option("--json", "machine-readable")
		.addHelpText("after", EDIT_HELP)
		.action(async (named: string | undefined, words: string[], options: EditOptions, command: Command) => {
			const text = words.length === 1 && words[0] === "-" ? stdin() : words.join(" ");
			if (words.length > 0 && !text.trim())
				command.error("error: the text is empty; to take the note away: ccg memory delete", { exitCode: 2 });
			if (named !== undefined && words.length === 0)
				command.error("error: give the new text behind the note, or - to read it from stdin", { exitCode: 2 });
			const given = words.length > 0 ? text : null;
			(await import("../acts/memory-edit.ts")).edit((named ?? "").trim(), given, options, io, now());
		});

	memory
		.command("move")
		.description("move one note to the notes for all projects, or to another project's; without a note, show them")
		.argument("[note...]", "its number, its text, or a part of its text that no other note has")
		.option("--to <place>", "global, project (this one's), or the folder of another project")
		.option("--global", "a note for all projects instead of this one's")
		.option("--anyway", "also when a note there says nearly the same")
		.option("--json", "machine-readable")
		.addHelpText("after", MOVE_HELP)
		.action(async (words: string[], options: MoveOptions, command: Command) => {
			if (words.length > 0 && options.to === undefined)
				command.error("error: say where it goes: --to global, --to project, or --to FOLDER", { exitCode: 2 });
			(await import("../acts/memory-move.ts")).move(words.join(" ").trim(), options, io);
		});
}

const EDIT_HELP = `
Examples:
  ccg memory edit                          the notes with their numbers
  ccg memory edit 3 "tests run with: npm test -- --project unit"
  ccg memory edit "tests run" tests run with bun test
  ccg memory edit --global 1 -

The rest of the file keeps its bytes, and what the note was is printed. Secrets are redacted.
Exit codes: 0 edited, or it says so already; 1 failed, or another note says it; 2 wrong use.`;

const MOVE_HELP = `
Examples:
  ccg memory move                          the notes with their numbers
  ccg memory move 3 --to global
  ccg memory move --global 1 --to project
  ccg memory move "tests run" --to ~/src/other

It is added there before it is deleted here: a process that is killed in between leaves it in both, and the same command ends it.
Exit codes: 0 moved; 1 failed, or a note there says nearly the same; 2 wrong use.`;
