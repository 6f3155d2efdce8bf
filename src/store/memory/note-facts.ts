import { join } from "node:path";
import { HOOK_WAIT_MS, withLock } from "../kernel-lock.ts";
import type { Tell } from "../problems.ts";
import { refusePathLinks } from "../refuse-links.ts";
import type { Store } from "../session-handle.ts";
import { noteFacts as shape } from "../shapes.generated.ts";
import type * as stored from "../stored-shapes.ts";
import { type FileContent, goodValue, kindOf, readVersioned, tellOf, writeVersioned } from "../versioned-file.ts";
import { cleanText, noteKey } from "./notes.ts";

/** What ccg knows of one note beside its text. */
export type NoteFact = FileContent<typeof NOTE_FACTS>["notes"][number];

/** How a note was used: told at a session's start, found by recall or search, shown. */
export type NoteUse = "start" | "found" | "shown";

/**
 * Beside MEMORY.md, because people's files keep their bytes: when ccg saved a note, on which branch, and the days it was last used.
 * Whoever deletes it loses ages and uses, nothing else. A use is kept by the day, so that most starts write nothing.
 */
const NOTE_FACTS = kindOf<typeof stored.noteFacts>("facts of notes", shape, { maxBytes: 1024 * 1024 });

/** Notes whose facts are kept; those touched longest ago go first. */
const MOST = 1_000;

const factsPath = (folder: string): string => join(folder, "notes.json");

/** Names a note by its text: case, white space and the bullet do not count. A number, in which nothing can be redacted. */
export function noteId(text: string): number {
	const clean = CONTROL.test(text) ? cleanText(text) : text;
	const hash = new Bun.CryptoHasher("sha256").update(noteKey(clean)).digest("hex");
	return Number.parseInt(hash.slice(0, 12), 16);
}

const CONTROL = /[\x00-\x08\x0b-\x1f\x7f-\x9f]/;

/** What is known of the notes of a folder, by `noteId`. Never throws. */
export const readFacts = (folder: string, tell: Tell): Map<number, NoteFact> => factsIn(folder, tell) ?? new Map();

/** `null` where the file is there and can't be read: what it holds is not to be written over. */
function factsIn(folder: string, tell: Tell): Map<number, NoteFact> | null {
	const read = readVersioned(factsPath(folder), NOTE_FACTS);
	tellOf(read, tell);
	if (read.found === "newer" || read.found === "unreadable") return null;
	const notes = goodValue(read)?.notes ?? [];
	return new Map(notes.map((fact) => [fact.id, fact]));
}

/**
 * Changes what is known of a folder's notes; the caller holds the lock of the notes. `change` says whether anything differs. A
 * failure costs ages and uses, never a note: it is not thrown.
 */
export function changeFacts(folder: string, tell: Tell, change: (facts: Map<number, NoteFact>) => boolean): void {
	try {
		const facts = factsIn(folder, tell);
		if (!facts || !change(facts)) return;
		const notes = [...facts.values()];
		if (notes.length > MOST) notes.sort((a, b) => (lastTouch(b) < lastTouch(a) ? -1 : 1)).splice(MOST);
		writeVersioned(factsPath(folder), NOTE_FACTS, { version: 1, notes }, { sync: false, tell });
	} catch {
		// the note counts, not what is known of it
	}
}

const lastTouch = ({ saved = "", start = "", found = "", shown = "" }: NoteFact): string =>
	[saved, start, found, shown].sort().at(-1)!;

/** Runs `act` under the lock that all changes of notes take. Throws with code `ELOCKED` when it is not free in time. */
export function withNotesLock<T>(root: string, act: () => T, waitMs: number): T {
	refusePathLinks(root, join(root, "run"));
	return withLock(join(root, "run", "memory.lock"), act, { waitMs });
}

/** Keeps that notes were used today, by the folder of their MEMORY.md. Nothing is written when that is known. Never throws. */
export function keepUse(
	{ root, tell }: Store,
	used: ReadonlyMap<string, readonly number[]>,
	use: NoteUse,
	now: Date,
): void {
	const day = dayOf(now);
	for (const [folder, ids] of used)
		try {
			const known = readFacts(folder, tell);
			const fresh = ids.filter((id) => (known.get(id)?.[use] ?? "") < day);
			if (fresh.length === 0) continue;
			refusePathLinks(root, folder);
			withNotesLock(root, () => changeFacts(folder, tell, (facts) => marked(facts, fresh, use, day)), HOOK_WAIT_MS);
		} catch {
			// the next use is kept
		}
}

/** In UTC: to ask for the clock of the user's place costs a session's start two milliseconds. */
export const dayOf = (now: Date): string => now.toISOString().slice(0, 10);

function marked(facts: Map<number, NoteFact>, ids: readonly number[], use: NoteUse, day: string): boolean {
	for (const id of ids) facts.set(id, { ...facts.get(id), id, [use]: day });
	return ids.length > 0;
}
