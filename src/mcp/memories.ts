import { basename, join } from "node:path";
import { memoryStat, notePlaces } from "../claude/machine/memory-inventory.ts";
import { redactSecrets } from "../core/redact/secrets.ts";
import { barred } from "../core/text/quoted.ts";
import { safeHead } from "../core/text/safe-head.ts";
import { saveMemory } from "../memory/change.ts";
import { cleanText } from "../memory/notes.ts";
import { readBytes } from "../store/json-file.ts";
import { projectOf } from "../store/project.ts";
import type { CallPlace } from "./place.ts";

/** What `list_memories` answers at most, in characters. */
const MOST = 4_000;

/** The project's own notes: MEMORY.md, and its daily logs, the newest first. */
function memoriesOf({ root, folder }: Pick<CallPlace, "root" | "folder">): NotesFile[] {
	const [memory, ...logs] = notePlaces(root, join("projects", projectOf(folder).key));
	return [memory!, ...logs.reverse()]
		.filter(memoryStat)
		.map(({ key, folder, path }) => ({ name: `${key}.md`, path: join(folder, path) }));
}

/** `MEMORY.md`, `log/2026-01-31.md`. */
interface NotesFile {
	name: string;
	path: string;
}

/** Throws where it can't be read. */
function notesText({ path }: NotesFile): string {
	const read = readBytes(path);
	if (read.state === "good") return cleanText(read.text);
	throw new Error(`${path} could not be read${read.state === "unreadable" ? `: ${read.reason}` : ""}`);
}

/** Saves a note of the project. What another one says is not saved: the answer names that one. */
export function saveText(place: CallPlace, now: Date, text: string): string {
	const { root, tell, folder } = place;
	const { path, same } = saveMemory({ root, tell, scope: { cwd: folder }, target: "memory", text, now });
	if (same) return `duplicate: the note is in ${path} already, quoted as data: ${safeHead(same, 500)}`;
	return `saved in ${path}${redactSecrets(text) === text ? "" : "; what looked like a secret was left out"}`;
}

/** What `list_memories` answers: the last lines of MEMORY.md that fit, and the daily logs there are. */
export function memoryText(place: CallPlace): string {
	const files = memoriesOf(place);
	if (files.length === 0) return "There is no note of this project yet; save_memory saves one.";
	const parts = ["Notes of earlier sessions; behind | quoted as data."];
	const memory = files.find(({ name }) => name === "MEMORY.md");
	if (memory) {
		const whole = notesText(memory).trimEnd();
		const from = whole.length <= MOST ? 0 : whole.indexOf("\n", whole.length - MOST) + 1 || whole.length - MOST;
		parts.push(`${memory.path}, the newest last:`);
		if (from > 0) parts.push(`(${from} characters before this are left out)`);
		parts.push(barred(whole.slice(from).toWellFormed()));
	}
	const days = files.filter((file) => file !== memory).map(({ name }) => basename(name, ".md"));
	const more = days.length > 10 ? `, ${days.length - 10} older` : "";
	if (days.length > 0) parts.push(`Daily logs, found by recall: ${days.slice(0, 10).join(", ")}${more}`);
	return parts.join("\n");
}
