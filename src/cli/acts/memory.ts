import { redactSecrets } from "../../core/redact/secrets.ts";
import { counted } from "../../core/text/text.ts";
import { readText } from "../../store/json-file.ts";
import { type LikeNote, likeText } from "../../store/memory/like-note.ts";
import {
	listMemory,
	type MemoryFile,
	type MemoryScope,
	type MemoryTarget,
	saveMemory,
} from "../../store/memory/memory.ts";
import { cleanText } from "../../store/memory/notes.ts";
import { keepShown } from "../../store/memory/notes-shown.ts";
import { claudeRoot, isInSession } from "../../store/paths.ts";
import { storeOf } from "../../store/session/chosen-store.ts";
import { projectFolderOf } from "../../store/session/session-project.ts";
import { answerJson } from "../support/answer-json.ts";
import type { Io } from "../support/io.ts";
import { moment } from "../support/layout/moment.ts";
import { asTyped } from "../support/own-name.ts";
import { lastUseIn, listNotes, showNote } from "./memory-history.ts";

export interface NewNote {
	text: string;
	target: MemoryTarget;
	now: Date;
	/** Also what another note says nearly. */
	anyway?: boolean;
}

/** `memory save`. A permission rule allows all that begins so: in a session it names no other place. */
export function save(note: () => NewNote, { global }: { global?: boolean }, io: Io): void {
	if (global && isInSession(io.env))
		throw new Error("in a session of Claude Code a note for all projects is saved with: ccg memory global TEXT");
	saveIn(global ? { global: true } : { cwd: projectFolderOf(io) }, note(), io);
}

/** `memory global`. */
export const saveGlobal = (note: NewNote, io: Io): void => saveIn({ global: true }, note, io);

function saveIn(scope: MemoryScope, { text, target, now, anyway }: NewNote, io: Io): void {
	const saved = saveMemory({ ...storeOf(io), scope, target, text, now, ...(anyway && { anyway }) });
	const hidden = redactSecrets(text) === text ? "" : "; what looked like a secret was left out";
	if (saved.status === "saved") return io.out(`saved in ${saved.path}${hidden}`);
	const { path, status, like } = saved;
	if (status === "duplicate") return io.out(`duplicate: the note is in ${path} already, as ${likeText(like)}`);
	const global = "global" in scope ? { edit: " --global", save: "global" } : { edit: "", save: "save" };
	tellSimilar("saved", path, like, io);
	io.err(`To change that one: ccg memory edit${global.edit} ${like.number ?? "NOTE"} "NEW TEXT"`);
	io.err(`To keep both: ccg memory ${global.save} --anyway "TEXT"`);
}

/** Says that nothing was written because a note says nearly the same; the process ends 1. */
export function tellSimilar(done: string, path: string, like: LikeNote, io: Io): void {
	io.err(`Not ${done}: ${path} says nearly the same in ${likeText(like)}`);
	io.exit(1);
}

export interface ListOptions {
	notes?: boolean;
	json?: boolean;
}

export function list({ notes, json }: ListOptions, io: Io, now: Date): void {
	if (notes) return listNotes(io, now, Boolean(json));
	const files = filesOf(io);
	const used = files.map((file) => lastUseIn(file, io));
	if (json)
		answerJson(
			io,
			files.map((file, i) => ({ ...file, lastUsed: used[i] ?? null })),
		);
	else if (files.length === 0) io.out(asTyped("no memory yet; save a note with: ccg memory save TEXT", io));
	else for (const line of table(files, used)) io.out(line);
}

export interface ShowOptions {
	global?: boolean;
	json?: boolean;
}

export function show(name: string, { global, json }: ShowOptions, io: Io, now: Date): void {
	if (/^\d+$/.test(name)) return showNote(name, { global: Boolean(global), json: Boolean(json) }, io, now);
	const file = find(filesOf(io), name, global ? "global/" : "");
	if (!file)
		throw new Error(
			`no ${global ? "global " : ""}memory file '${name}' for ${projectFolderOf(io)}; 'ccg memory list' shows what there is`,
		);
	const text = readText(file.path);
	if (text === null) throw new Error(`${file.path} could not be read; check its permissions and size`);
	if (json) answerJson(io, { ...file, text });
	else io.out(cleanText(text).replace(/\n$/, ""));
	keepShown(storeOf(io), file, { text }, now);
}

const filesOf = (io: Io): MemoryFile[] => listMemory(storeOf(io).root, claudeRoot(io.env), projectFolderOf(io));

/** Only files of the list can be shown, so a name never leads out of the memory folders. */
function find(files: MemoryFile[], name: string, prefix: string): MemoryFile | undefined {
	const named = (wanted: string) => files.find((file) => file.name === wanted || file.name === `${wanted}.md`);
	if (name === "global") return named("global/MEMORY.md");
	if (name === "memory") return named(`${prefix}MEMORY.md`);
	if (name === "log") return files.findLast((file) => file.name.startsWith(`${prefix}log/`));
	return named(`${prefix}log/${name}`) ?? named(prefix + name) ?? files.find((file) => file.path === name);
}

function table(files: MemoryFile[], used: (string | null)[]): string[] {
	const rows = files.map(({ name, notes, bytes, modified, path }, i) => [
		name,
		notes === null ? "not counted" : counted(notes, "note"),
		`${bytes} B`,
		moment(modified),
		...(used.some(Boolean) ? [used[i] ? `used ${used[i]}` : ""] : []),
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
