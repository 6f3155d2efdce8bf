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
import type { Io } from "../support/io.ts";
import { moment } from "../support/layout/moment.ts";
import { isInSession, memoryRoot, projectFolderOf } from "../support/memory-place.ts";
import { asTyped } from "../support/own-name.ts";

export interface Note {
	text: string;
	target: MemoryTarget;
	now: Date;
}

/** `memory save`. A permission rule allows all that begins so: in a session it names no other place. */
export function save(note: () => Note, { global }: { global?: boolean }, io: Io): void {
	if (global && isInSession(io.env))
		throw new Error("in a session of Claude Code a note for all projects is saved with: ccg memory global TEXT");
	saveIn(global ? { global: true } : { cwd: projectFolderOf(io) }, note(), io);
}

/** `memory global`. */
export const saveGlobal = (note: Note, io: Io): void => saveIn({ global: true }, note, io);

function saveIn(scope: MemoryScope, { text, target, now }: Note, io: Io): void {
	const { path, status } = saveMemory({ root: memoryRoot(io), scope, target, text, now });
	const hidden = redactSecrets(text) === text ? "" : "; what looked like a secret was left out";
	io.out(status === "saved" ? `saved in ${path}${hidden}` : `duplicate: the note is in ${path} already`);
}

export function list({ json }: { json?: boolean }, io: Io): void {
	const files = filesOf(io);
	if (json) answerJson(io, files);
	else if (files.length === 0) io.out(asTyped("no memory yet; save a note with: ccg memory save TEXT", io));
	else for (const line of table(files)) io.out(line);
}

export function show(name: string, { global, json }: { global?: boolean; json?: boolean }, io: Io): void {
	const file = find(filesOf(io), name, global ? "global/" : "");
	if (!file)
		throw new Error(
			`no ${global ? "global " : ""}memory file '${name}' for ${io.cwd}; 'ccg memory list' shows what there is`,
		);
	const text = readText(file.path);
	if (text === null) throw new Error(`${file.path} could not be read; check its permissions and size`);
	if (json) answerJson(io, { ...file, text });
	else io.out(cleanText(text).replace(/\n$/, ""));
}

const filesOf = (io: Io): MemoryFile[] => listMemory(memoryRoot(io), claudeRoot(io.env), io.cwd);

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
