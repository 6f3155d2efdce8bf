import { readFileSync } from "node:fs";
import type { Command } from "commander";
import { redactSecrets } from "../core/redact/secrets.ts";
import { readText } from "../store/json-file.ts";
import { listMemory, type MemoryFile, type MemoryTarget, saveMemory } from "../store/memory.ts";
import { cleanText } from "../store/notes.ts";
import { claudeRoot, storeRoot } from "../store/paths.ts";
import type { Io } from "./io.ts";

/** `ccg memory save | list | show`: the notes ccg keeps for people and sessions. */
export function registerMemory(
	program: Command,
	io: Io,
	{ now = () => new Date(), stdin = () => readFileSync(0, "utf8") }: { now?: () => Date; stdin?: () => string } = {},
): void {
	const memory = program
		.command("memory")
		.description("notes that outlive a session: MEMORY.md and daily logs, per project and for all projects")
		.addHelpText("after", EXAMPLES);

	memory
		.command("save")
		.description("save one note; secrets are redacted, a note that is there already is not saved again")
		.argument("<text...>", "the note; - reads it from stdin")
		.option("--target <file>", "memory (MEMORY.md) or log (today's log)", "memory")
		.option("--global", "for all projects instead of this one")
		.option("--project <folder>", "for the project of that folder instead of the current one")
		.option("--store <folder>", "the store to save in, as CCG_HOME")
		.addHelpText("after", SAVE_EXAMPLES)
		.action((words: string[], { target, global, project, store: given }: SaveOptions) => {
			if (target !== "memory" && target !== "log") throw new Error(`--target ${target} is unknown; use memory or log`);
			const text = words.length === 1 && words[0] === "-" ? stdin() : words.join(" ");
			const scope = global ? { global: true as const } : { cwd: project ?? io.cwd };
			const { path, status } = saveMemory({
				root: given ?? store(io),
				scope,
				target: target as MemoryTarget,
				text,
				now: now(),
			});
			const hidden = redactSecrets(text) === text ? "" : "; what looked like a secret was left out";
			io.out(status === "saved" ? `saved in ${path}${hidden}` : `duplicate: the note is in ${path} already`);
		});

	memory
		.command("list")
		.description("list the memory files of this project, the global ones, and Claude Code's own (only read)")
		.option("--json", "as JSON")
		.addHelpText("after", LIST_EXAMPLES)
		.action(({ json }: { json?: boolean }) => {
			const files = listMemory(store(io), claudeRoot(io.env), io.cwd);
			if (json) io.out(JSON.stringify(files, null, 2));
			else if (files.length === 0) io.out("no memory yet; save a note with: ccg memory save TEXT");
			else for (const line of table(files)) io.out(line);
		});

	memory
		.command("show")
		.description("print a memory file")
		.argument(
			"[name]",
			"memory, log (the newest), a day as YYYY-MM-DD, or a name or path from 'ccg memory list'",
			"memory",
		)
		.option("--global", "the global file instead of this project's")
		.option("--json", "as JSON: the file's facts and its text")
		.addHelpText("after", SHOW_EXAMPLES)
		.action((name: string, { global, json }: { global?: boolean; json?: boolean }) => {
			const file = find(listMemory(store(io), claudeRoot(io.env), io.cwd), name, global ? "global/" : "");
			if (!file)
				throw new Error(
					`no ${global ? "global " : ""}memory file '${name}' for ${io.cwd}; 'ccg memory list' shows what there is`,
				);
			const text = readText(file.path);
			if (text === null) throw new Error(`${file.path} could not be read; check its permissions and size`);
			if (json) io.out(JSON.stringify({ ...file, text }, null, 2));
			else io.out(cleanText(text).replace(/\n$/, ""));
		});
}

interface SaveOptions {
	target: string;
	global?: boolean;
	project?: string;
	store?: string;
}

function store(io: Io): string {
	const root = storeRoot(io.env);
	if (!root) throw new Error("there is no place for memory: neither CCG_HOME nor HOME is set; set one of them");
	return root;
}

/** Only files of the list can be shown, so a name never leads out of the memory folders. */
function find(files: MemoryFile[], name: string, prefix: string): MemoryFile | undefined {
	const named = (wanted: string) => files.find((file) => file.name === wanted || file.name === `${wanted}.md`);
	if (name === "memory") return named(`${prefix}MEMORY.md`);
	if (name === "log") return files.findLast((file) => file.name.startsWith(`${prefix}log/`));
	return named(`${prefix}log/${name}`) ?? named(prefix + name) ?? files.find((file) => file.path === name);
}

function table(files: MemoryFile[]): string[] {
	const rows = files.map(({ name, lines, bytes, modified, path }) => [
		name,
		`${lines} ${lines === 1 ? "line" : "lines"}`,
		`${bytes} B`,
		`${modified.slice(0, 16).replace("T", " ")} UTC`,
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
  ccg memory show log`;

const SAVE_EXAMPLES = `
Examples:
  ccg memory save "tests run with: npm test -- --project unit"
  ccg memory save --target log moved the parser to src/core
  ccg memory save --global "answers in English, please"
  git log -1 --format=%B | ccg memory save --target log -

Exit code 0 when saved or there already, 1 when not.`;

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
