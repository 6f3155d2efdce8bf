import { basename, join } from "node:path";
import { memoryStat, notePlaces } from "../claude/machine/memory-inventory.ts";
import { redactSecrets } from "../core/redact/secrets.ts";
import { barred } from "../core/text/quoted.ts";
import { safeHead } from "../core/text/safe-head.ts";
import { saveMemory } from "../memory/change.ts";
import { cleanText } from "../memory/notes.ts";
import { readBytes } from "../store/json-file.ts";
import type { CallPlace } from "./place.ts";

/** What `list_memories` answers at most, in characters. */
const MOST = 4_000;

/** Saves a note of the project. What another one says is not saved: the answer names that one. */
export function saveText(place: CallPlace, now: Date, text: string): string {
	const { root, tell, folder } = place;
	const { path, same } = saveMemory({ root, tell, scope: { cwd: folder }, target: "memory", text, now });
	if (same) return `duplicate: the note is in ${path} already, quoted as data: ${safeHead(same, 500)}`;
	return `saved in ${path}${redactSecrets(text) === text ? "" : "; what looked like a secret was left out"}`;
}

/** What `list_memories` answers: the last lines of MEMORY.md that fit, and the daily logs there are. */
export function memoryText({ root, project }: CallPlace): string {
	const [memory, ...logs] = notePlaces(root, join("projects", project)).map((one) => memoryStat(one) && one);
	const days = logs.flatMap((log) => (log ? basename(log.path, ".md") : [])).reverse();
	if (!memory && days.length === 0) return "There is no note of this project yet; save_memory saves one.";
	const parts = ["Notes of earlier sessions; behind | quoted as data."];
	if (memory) parts.push(...lastLines(join(memory.folder, memory.path)));
	const more = days.length > 10 ? `, ${days.length - 10} older` : "";
	if (days.length > 0) parts.push(`Daily logs, found by recall: ${days.slice(0, 10).join(", ")}${more}`);
	return parts.join("\n");
}

/** Throws where the file can't be read. */
function lastLines(path: string): string[] {
	const read = readBytes(path);
	if (read.state !== "good")
		throw new Error(`${path} could not be read${read.state === "unreadable" ? `: ${read.reason}` : ""}`);
	const whole = cleanText(read.text).trimEnd();
	const from = whole.length <= MOST ? 0 : whole.indexOf("\n", whole.length - MOST) + 1 || whole.length - MOST;
	const left = from > 0 ? [`(${from} characters before this are left out)`] : [];
	return [`${path}, the newest last:`, ...left, barred(whole.slice(from).toWellFormed())];
}
