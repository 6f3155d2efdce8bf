import { quietStat } from "../files/quietly.ts";
import { sha256 } from "../store/gate.ts";
import { lastSyncPath } from "../store/paths.ts";
import { changeCycle, readCycle } from "../store/session/cycles.ts";
import type { Session } from "../store/session-handle.ts";
import { newsFrom, type Section, sharedSections } from "./start.ts";

/** When the last exchange with other machines ended: each one writes this file then. `null` where this store shares nothing. */
const exchangedAt = (root: string): number | null => quietStat(lastSyncPath(root))?.mtimeMs ?? null;

/** The notes of other machines for a session's start; keeps in the session's cycle that it was given them. */
export function othersAtStart(session: Session, cwd: string, now: Date): Section[] {
	// read first: notes that come between the two reads are given with the next prompt
	const at = exchangedAt(session.root);
	const sections = sharedSections(session, cwd, now);
	if (at !== null) keepGivenNotes(session, at, sections);
	return sections;
}

/**
 * The text on notes of other machines that this session was not given yet; `null` where there is none. Keeps that it was given them. Costs
 * one look at the disk where nothing is shared. Throws why it can't be kept: without that, every prompt would get the notes again.
 */
export function newNotes(
	session: Session,
	cwd: string,
	now: Date,
	room: Parameters<typeof newsFrom>[1],
): string | null {
	const at = exchangedAt(session.root);
	if (at === null) return null;
	const lastGiven = readCycle(session).shared;
	if (lastGiven?.at === at) return null;
	const sections = sharedSections(session, cwd, now);
	keepGivenNotes(session, at, sections);
	const givenHashes = new Set(lastGiven?.notes);
	const wasGiven = ({ text }: Section["notes"][number]): boolean => givenHashes.has(noteHash(text));
	const fresh = sections.map(({ title, notes, isCut }) => {
		// only the end of a long file is read: where a note is taken out of it, older notes come into sight
		const from = isCut ? Math.max(0, notes.findIndex(wasGiven)) : 0;
		return { title, notes: notes.slice(from).filter((note) => !wasGiven(note)), isCut: false };
	});
	return newsFrom(fresh, room);
}

function keepGivenNotes(session: Session, at: number, sections: readonly Section[]): void {
	const notes = sections.flatMap((section) => section.notes.map(({ text }) => noteHash(text)));
	changeCycle(session, (cycle) => void Object.assign(cycle, { shared: { at, notes } }));
}

const noteHash = (text: string): string => sha256(text).slice(0, 12);
