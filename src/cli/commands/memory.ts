import { readFileSync } from "node:fs";
import { type Command, Option } from "commander";
import { redactSecrets } from "../../core/redact/secrets.ts";
import { readText } from "../../store/json-file.ts";
import {
	listMemory,
	type MemoryFile,
	type MemoryScope,
	type MemoryTarget,
	saveMemory,
} from "../../store/memory/memory.ts";
import { cleanText } from "../../store/memory/notes.ts";
import { claudeRoot } from "../../store/paths.ts";
import { answerJson } from "../support/answer-json.ts";
import { askOnTerminal } from "../support/ask-on-terminal.ts";
import { listByDefault } from "../support/default-list.ts";
import type { Io } from "../support/io.ts";
import { moment } from "../support/layout/moment.ts";
import { isInSession, memoryRoot, projectFolderOf } from "../support/memory-place.ts";
import { asTyped } from "../support/own-name.ts";
import { type Ask, registerDelete } from "./memory-delete.ts";

/** `ccg memory save | global | list | show | delete`: the notes ccg keeps for people and sessions. */
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
			.addHelpText("after", help);
	const save = (words: string[], target: MemoryTarget, scope: MemoryScope, command: Command): void => {
		const text = words.length === 1 && words[0] === "-" ? stdin() : words.join(" ");
		if (!text.trim())
			command.error("error: the note is empty; give its text, or - to read it from stdin", { exitCode: 2 });
		const { path, status } = saveMemory({
			root: memoryRoot(io),
			scope,
			target,
			text,
			now: now(),
		});
		const hidden = redactSecrets(text) === text ? "" : "; what looked like a secret was left out";
		io.out(status === "saved" ? `saved in ${path}${hidden}` : `duplicate: the note is in ${path} already`);
	};

	// What a permission rule allows is everything that begins with `ccg memory save`: it has no option that names a place.
	saving(
		"save",
		"save one note for this project; secrets are redacted, a note that is there already is not saved again",
		SAVE_EXAMPLES,
	)
		.option("--global", "for all projects instead of this one; in a session of Claude Code: ccg memory global TEXT")
		.action((words: string[], { target, global }: SaveOptions, command: Command) => {
			if (global && isInSession(io.env))
				throw new Error("in a session of Claude Code a note for all projects is saved with: ccg memory global TEXT");
			save(words, target, global ? { global: true } : { cwd: projectFolderOf(io) }, command);
		});

	saving(
		"global",
		"save one note for all projects; what is allowed to 'memory save' is not allowed to this",
		GLOBAL_HELP,
	).action((words: string[], { target }: SaveOptions, command: Command) =>
		save(words, target, { global: true }, command),
	);

	listByDefault(memory)
		.description("list the memory files of this project, the global ones, and Claude Code's own (only read)")
		.option("--json", "as JSON")
		.addHelpText("after", LIST_EXAMPLES)
		.action(({ json }: { json?: boolean }) => {
			const files = listMemory(memoryRoot(io), claudeRoot(io.env), io.cwd);
			if (json) answerJson(io, files);
			else if (files.length === 0) io.out(asTyped("no memory yet; save a note with: ccg memory save TEXT", io));
			else for (const line of table(files)) io.out(line);
		});

	memory
		.command("show")
		.description("print a memory file")
		.argument(
			"[name]",
			"memory, log (the newest), global, a day as YYYY-MM-DD, or a name or path from 'ccg memory list'",
			"memory",
		)
		.option("--global", "the global file instead of this project's")
		.option("--json", "as JSON: the file's facts and its text")
		.addHelpText("after", SHOW_EXAMPLES)
		.action((name: string, { global, json }: { global?: boolean; json?: boolean }) => {
			const file = find(listMemory(memoryRoot(io), claudeRoot(io.env), io.cwd), name, global ? "global/" : "");
			if (!file)
				throw new Error(
					`no ${global ? "global " : ""}memory file '${name}' for ${io.cwd}; 'ccg memory list' shows what there is`,
				);
			const text = readText(file.path);
			if (text === null) throw new Error(`${file.path} could not be read; check its permissions and size`);
			if (json) answerJson(io, { ...file, text });
			else io.out(cleanText(text).replace(/\n$/, ""));
		});

	registerDelete(memory, io, ask);
}

interface SaveOptions {
	target: MemoryTarget;
	global?: boolean;
}

/** Only files of the list can be shown, so a name never leads out of the memory folders. */
function find(files: MemoryFile[], name: string, prefix: string): MemoryFile | undefined {
	const named = (wanted: string) => files.find((file) => file.name === wanted || file.name === `${wanted}.md`);
	if (name === "global") return named("global/MEMORY.md");
	if (name === "memory") return named(`${prefix}MEMORY.md`);
	if (name === "log") return files.findLast((file) => file.name.startsWith(`${prefix}log/`));
	return named(`${prefix}log/${name}`) ?? named(prefix + name) ?? files.find((file) => file.path === name);
}

function table(files: MemoryFile[]): string[] {
	const rows = files.map(({ name, notes, bytes, modified, path }) => [
		name,
		notes === null ? "not counted" : `${notes} ${notes === 1 ? "note" : "notes"}`,
		`${bytes} B`,
		moment(modified),
		path,
	]);
	const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
	return rows.map((row) =>
		row
			.map((cell, column) =>
				column === 1 || column === 2 ? cell.padStart(widths[column]!) : cell.padEnd(widths[column]!),
			)
			.join("  ")
			.trimEnd(),
	);
}

const EXAMPLES = `
Examples:
  ccg memory save "tests run with: npm test -- --project unit"
  ccg memory list
  ccg memory show log
  ccg memory delete 3`;

const SAVE_EXAMPLES = `
Examples:
  ccg memory save "tests run with: npm test -- --project unit"
  ccg memory save --target log moved the parser to src/core
  ccg memory save --global "answers in English, please"
  git log -1 --format=%B | ccg memory save --target log -

The note goes into the store (CCG_HOME, else ~/.claude-memory) of the project of this folder, in a session of Claude Code
of the project that the session began in. Exit code 0 when saved or there already, 1 when not, 2 for wrong use.`;

const GLOBAL_HELP = `
Examples:
  ccg memory global "answers in English, please"

Exit code 0 when saved or there already, 1 when not, 2 for wrong use.`;

const LIST_EXAMPLES = `
Examples:
  ccg memory list
  ccg memory list --json`;

const SHOW_EXAMPLES = `
Examples:
  ccg memory show                  this project's MEMORY.md
  ccg memory show log              its newest daily log
  ccg memory show 2026-01-31       the log of that day
  ccg memory show --global         the global MEMORY.md
  ccg memory show claude/MEMORY.md Claude Code's own file`;
