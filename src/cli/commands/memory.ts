import { readFileSync } from "node:fs";
import { type Command, Option } from "commander";
import type { ListOptions, NewNote, ShowOptions } from "../acts/memory.ts";
import { type Ask, askOnTerminal } from "../support/ask-on-terminal.ts";
import { listByDefault } from "../support/default-list.ts";
import type { Io } from "../support/io.ts";
import { registerChanges } from "./memory-change.ts";
import { registerDelete } from "./memory-delete.ts";
import { registerLooks } from "./memory-look.ts";

/** `ccg memory save | global | list | show | edit | delete | move | check | inventory`: the notes ccg keeps for people and sessions. */
export function registerMemory(
	program: Command,
	io: Io,
	{
		now = () => new Date(),
		stdin = () => readFileSync(0, "utf8"),
		ask = askOnTerminal,
	}: { now?: () => Date; stdin?: () => string; ask?: Ask } = {},
): void {
	const memory = program
		.command("memory")
		.description("notes that outlive a session: MEMORY.md and daily logs, per project and for all projects")
		.addHelpText("after", EXAMPLES);

	const saving = (name: string, description: string, help: string): Command =>
		memory
			.command(name)
			.description(description)
			.argument("<text...>", "the note; - reads it from stdin")
			.addOption(new Option("--target <file>", "MEMORY.md or today's log").choices(["memory", "log"]).default("memory"))
			.option("--anyway", "also when a note of MEMORY.md says nearly the same")
			.addHelpText("after", help);
	const noteOf = (words: string[], { target, anyway }: SaveOptions, command: Command): NewNote => {
		const text = words.length === 1 && words[0] === "-" ? stdin() : words.join(" ");
		if (!text.trim())
			command.error("error: the note is empty; give its text, or - to read it from stdin", { exitCode: 2 });
		return { text, target, now: now(), ...(anyway && { anyway }) };
	};

	// What a permission rule allows is everything that begins with `ccg memory save`: it has no option that names a place.
	saving(
		"save",
		"save one note for this project; secrets are redacted, a note that is there already is not saved again",
		SAVE_EXAMPLES,
	)
		.option("--global", "for all projects instead of this one; in a session of Claude Code: ccg memory global TEXT")
		.action(async (words: string[], options: SaveOptions, command: Command) =>
			(await import("../acts/memory.ts")).save(() => noteOf(words, options, command), options, io),
		);
	saving(
		"global",
		"save one note for all projects; what is allowed to 'memory save' is not allowed to this",
		GLOBAL_HELP,
	).action(async (words: string[], options: SaveOptions, command: Command) =>
		(await import("../acts/memory.ts")).saveGlobal(noteOf(words, options, command), io),
	);

	listByDefault(memory)
		.description("list the memory files of this project, the global ones, and Claude Code's own (only read)")
		.option("--notes", "each note of this project and the global ones, with its age and its last use")
		.option("--json", "as JSON")
		.addHelpText("after", LIST_EXAMPLES)
		.action(async (options: ListOptions) => (await import("../acts/memory.ts")).list(options, io, now()));

	memory
		.command("show")
		.description("print a memory file, or one note with its age and its last use")
		.argument(
			"[name]",
			"memory, log (the newest), global, a day as YYYY-MM-DD, a name or path from 'ccg memory list', or a note's number",
			"memory",
		)
		.option("--global", "the global file instead of this project's")
		.option("--json", "as JSON: the file's facts and its text")
		.addHelpText("after", SHOW_EXAMPLES)
		.action(async (name: string, options: ShowOptions) =>
			(await import("../acts/memory.ts")).show(name, options, io, now()),
		);

	registerChanges(memory, io, { now, stdin });
	registerDelete(memory, io, ask);
	registerLooks(memory, io);
}

interface SaveOptions extends Pick<NewNote, "target" | "anyway"> {
	global?: boolean;
}

const EXAMPLES = `
Examples:
  ccg memory save "tests run with: npm test -- --project unit"
  ccg memory list
  ccg memory list --notes
  ccg memory edit 3 "tests run with: npm test"
  ccg memory check`;

const SAVE_EXAMPLES = `
Examples:
  ccg memory save "tests run with: npm test -- --project unit"
  ccg memory save --target log moved the parser to src/core
  ccg memory save --global "answers in English, please"
  git log -1 --format=%B | ccg memory save --target log -

The note goes into the store (CCG_HOME, else ~/.claude-memory) of the project of this folder, in a session of Claude Code
of the project that the session began in. What MEMORY.md says nearly in the same words is refused with the note it resembles; a
number, a name or a "not" that differs makes another note.
Exit code 0 when saved or there already, 1 when not, 2 for wrong use.`;

const GLOBAL_HELP = `
Examples:
  ccg memory global "answers in English, please"

Exit code 0 when saved or there already, 1 when not, 2 for wrong use.`;

const LIST_EXAMPLES = `
Examples:
  ccg memory list
  ccg memory list --notes          each note with its age and its last use
  ccg memory list --json

A note's age is the day it gives itself (at its beginning, in its heading), else when ccg saved it, else unknown. It is used when a session
is told of it at its start, when recall or search finds it, and when it is shown. Days are those of UTC.`;

const SHOW_EXAMPLES = `
Examples:
  ccg memory show                  this project's MEMORY.md
  ccg memory show 3                its third note, with its age and its last use
  ccg memory show log              its newest daily log
  ccg memory show 2026-01-31       the log of that day
  ccg memory show --global         the global MEMORY.md
  ccg memory show claude/MEMORY.md Claude Code's own file`;
