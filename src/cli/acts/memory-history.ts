import { dirname } from "node:path";
import { barred, quotedName } from "../../core/text/quoted.ts";
import { counted } from "../../core/text/text.ts";
import { LOOKED_THROUGH, notesOf, textOf } from "../../store/memory/delete-note.ts";
import { folderOf, type MemoryFile, type MemoryScope } from "../../store/memory/memory.ts";
import { keepUse, noteId, readFacts } from "../../store/memory/note-facts.ts";
import { historyOf, type NoteHistory } from "../../store/memory/note-history.ts";
import { cleanText, type Note } from "../../store/memory/notes.ts";
import { isOwnMemory } from "../../store/memory/notes-shown.ts";
import { storeOf } from "../../store/session/chosen-store.ts";
import { projectFolderOf } from "../../store/session/session-project.ts";
import { answerJson } from "../support/answer-json.ts";
import type { Io } from "../support/io.ts";
import { fitted } from "../support/layout/fit.ts";
import { oneLineOf } from "../support/pick-note.ts";

interface DatedNote {
	scope: "project" | "global";
	path: string;
	number: number;
	note: Note;
	history: NoteHistory;
}

/** `ccg memory list --notes`: each note of both MEMORY.md with its age and its last use. */
export function listNotes(io: Io, now: Date, json: boolean): void {
	const all = [...datedNotes("project", io, now), ...datedNotes("global", io, now)];
	if (json) return answerJson(io, all.map(asJson));
	if (all.length === 0) return io.out("there is no note yet");
	let path = "";
	for (const one of all) {
		if (one.path !== path) io.out(one.path);
		path = one.path;
		const head = `  ${String(one.number).padStart(3)}  ${ageText(one.history, now)}; ${useText(one.history)}`;
		io.out(head);
		io.out(`       ${fitted(oneLineOf(textOf(one.note)), (io.columns ?? Number.POSITIVE_INFINITY) - 7)}`);
	}
}

/** `ccg memory show NUMBER`: one note whole, with its age and its last use before this one. */
export function showNote(named: string, { global, json }: { global: boolean; json: boolean }, io: Io, now: Date): void {
	const scope = global ? "global" : "project";
	const notes = datedNotes(scope, io, now);
	const one = notes[Number(named) - 1];
	if (!one)
		throw new Error(
			`no note ${named}: ${global ? "the global MEMORY.md" : "this project's MEMORY.md"} has ${notes.length}; 'ccg memory list --notes' shows them`,
		);
	if (json) answerJson(io, asJson(one));
	else {
		io.out(barred(cleanText(textOf(one.note))));
		io.out(`(${ageText(one.history, now)}; ${useText(one.history)})`);
	}
	keepUse(storeOf(io), new Map([[dirname(one.path), [noteId(textOf(one.note))]]]), "shown", now);
}

/** The last day any note of a MEMORY.md of ccg's was used. */
export function lastUseIn(file: MemoryFile, io: Io): string | null {
	if (!isOwnMemory(file)) return null;
	const facts = [...readFacts(dirname(file.path), io.tell).values()];
	const days = facts.flatMap(({ start, found, shown }) => [start, found, shown]).filter((day) => day !== undefined);
	return days.sort().at(-1) ?? null;
}

function datedNotes(scope: "project" | "global", io: Io, now: Date): DatedNote[] {
	const store = storeOf(io);
	const place: MemoryScope = scope === "global" ? { global: true } : { cwd: projectFolderOf(io) };
	const { path, notes } = notesOf({ ...store, scope: place }, { maxBytes: LOOKED_THROUGH });
	const facts = readFacts(folderOf(store.root, place), io.tell);
	return notes.map((note, i) => ({
		scope,
		path,
		number: i + 1,
		note,
		history: historyOf(note, facts.get(noteId(textOf(note))), now),
	}));
}

const asJson = ({ scope, path, number, note, history }: DatedNote) => ({
	scope,
	path,
	number,
	text: textOf(note),
	savedAt: history.savedAt,
	dated: history.dated,
	branch: history.branch,
	lastUsed: history.lastUsed && { day: history.lastUsed.day, how: history.lastUsed.how },
});

/** The day the note gives itself, else when ccg saved it; never a guess. */
export function ageText({ dated, savedAt, branch }: NoteHistory, now: Date): string {
	const on = branch ? ` on branch ${quotedName(branch)}` : "";
	if (dated) return `dated ${dated}, ${daysAgo(dated, now)}`;
	return savedAt ? `saved ${savedAt.slice(0, 10)}, ${daysAgo(savedAt, now)}${on}` : "age unknown";
}

function daysAgo(at: string, now: Date): string {
	const days = Math.max(0, Math.floor((now.getTime() - Date.parse(at)) / 86_400_000));
	return days === 0 ? "today" : `${counted(days, "day")} ago`;
}

const HOW = { start: "told at a session's start", found: "found by recall or search", shown: "shown" };

export const useText = ({ lastUsed }: NoteHistory): string =>
	lastUsed ? `last used ${lastUsed.day}, ${HOW[lastUsed.how]}` : "no use known";
