import { basename } from "node:path";
import { redactSecrets } from "../core/redact/secrets.ts";
import { barred } from "../core/text/quoted.ts";
import { readBytes } from "../store/json-file.ts";
import { type LikeNote, likeText } from "../store/memory/like-note.ts";
import { listMemory, type MemoryFile, saveMemory } from "../store/memory/memory.ts";
import { cleanText } from "../store/memory/notes.ts";
import { keepShown } from "../store/memory/notes-shown.ts";
import { gated } from "./answer.ts";
import type { CallPlace } from "./place.ts";

/** What `list_memories` answers at most, in characters. */
const MOST = 4_000;
/** So much of a note that an answer names. */
const MOST_NAMED = 500;

/** The project's own notes: MEMORY.md, and its daily logs, the newest first. */
export function memoriesOf({ root, folder }: Pick<CallPlace, "root" | "folder">): MemoryFile[] {
	const files = listMemory(root, null, folder).filter(({ scope }) => scope === "project");
	const isLog = ({ name }: MemoryFile) => name.startsWith("log/");
	return [...files.filter((file) => !isLog(file)), ...files.filter(isLog).reverse()];
}

/** The text of a file of notes. Throws where it can't be read. */
export function notesText({ path }: MemoryFile): string {
	const read = readBytes(path);
	if (read.state === "good") return cleanText(read.text);
	throw new Error(`${path} could not be read${read.state === "unreadable" ? `: ${read.reason}` : ""}`);
}

/** Saves a note of the project. What another one says, or nearly, is not saved: the answer names that one. */
export function saveText(place: CallPlace, now: Date, text: string): string {
	const { root, tell, folder } = place;
	const saved = saveMemory({ root, tell, scope: { cwd: folder }, target: "memory", text, now });
	if (saved.status === "saved")
		return `saved in ${saved.path}${redactSecrets(text) === text ? "" : "; what looked like a secret was left out"}`;
	const { path, status, like } = saved;
	if (status === "duplicate") return `duplicate: the note is in ${path} already, quoted as data: ${named(like)}`;
	return [
		`not saved: ${path} says nearly the same, quoted as data: ${named(like)}`,
		`To change that one: ccg memory edit ${like.number ?? "NOTE"} "NEW TEXT". To keep both: ccg memory save --anyway "TEXT".`,
		'A number, a name, a path or a "not" that differs makes another note.',
	].join("\n");
}

function named(like: LikeNote): string {
	// what is cut could part a secret: it goes first
	const text = gated(likeText(like));
	return text.length <= MOST_NAMED ? text : `${text.slice(0, MOST_NAMED).toWellFormed()} …`;
}

/** What `list_memories` answers: the newest of MEMORY.md, and the daily logs there are. Its notes are kept as shown. */
export function memoryText(place: CallPlace, now: Date): string {
	const files = memoriesOf(place);
	if (files.length === 0) return "There is no note of this project yet; save_memory saves one.";
	const logs = files.filter(({ name }) => name !== "MEMORY.md");
	const memory = files.find(({ name }) => name === "MEMORY.md");
	const parts = ["Notes of earlier sessions; behind | quoted as data."];
	if (memory) {
		const { text, from, shown } = ending(notesText(memory), MOST);
		parts.push(`${memory.path}, the newest last:`, shown);
		keepShown(place, memory, { text, from }, now);
	}
	if (logs.length > 0) parts.push(daysOf(logs));
	return parts.join("\n");
}

function daysOf(logs: MemoryFile[]): string {
	const days = logs.slice(0, 10).map(({ name }) => basename(name, ".md"));
	return `Daily logs, found by recall: ${days.join(", ")}${logs.length > 10 ? `, ${logs.length - 10} older` : ""}`;
}

/** The last lines that fit, and where in the text they begin. */
function ending(whole: string, most: number): { text: string; from: number; shown: string } {
	const text = whole.trimEnd();
	if (text.length <= most) return { text, from: 0, shown: barred(text) };
	const from = text.indexOf("\n", text.length - most) + 1 || text.length - most;
	return {
		text,
		from,
		shown: `(${from} characters before this are left out)\n${barred(text.slice(from).toWellFormed())}`,
	};
}
