import { tryStat } from "../files/quietly.ts";
import { sha256 } from "../store/gate.ts";
import { lastSyncPath } from "../store/paths.ts";
import { changeCycle, readCycle } from "../store/session/cycles.ts";
import type { Session } from "../store/session-handle.ts";
import { packNews, readSharedSections, type Section, type TextLimits } from "./start.ts";

/** When this store was last synchronised with other machines, by the time of the file written then; `null` where it shares nothing. */
const lastSyncTime = (root: string): number | null => tryStat(lastSyncPath(root))?.mtimeMs ?? null;

/** Gives the notes of other machines for a session's start, and keeps in its cycle which it was given. */
export function claimStartNotes(session: Session, cwd: string, now: Date): Section[] {
	// read before the notes: those that come meanwhile are given with the next prompt
	const syncTime = lastSyncTime(session.root);
	const sections = readSharedSections(session, cwd, now);
	if (syncTime !== null) keepGivenNotes(session, syncTime, sections);
	return sections;
}

/**
 * Gives the text on other machines' notes that this session was not given yet, and keeps in its cycle which it was given; `null` where there
 * are none. Throws where that can't be kept: every prompt would get the same notes again.
 */
export function claimNewNotes(session: Session, cwd: string, now: Date, limits: TextLimits): string | null {
	const syncTime = lastSyncTime(session.root);
	if (syncTime === null) return null;
	const lastGiven = readCycle(session).shared;
	if (lastGiven?.at === syncTime) return null;
	const sections = readSharedSections(session, cwd, now);
	keepGivenNotes(session, syncTime, sections);
	const givenHashes = new Set(lastGiven?.notes);
	const wasGiven = ({ text }: Section["notes"][number]): boolean => givenHashes.has(noteHash(text));
	const unseen = sections.map(({ title, notes, isCut }) => {
		// only the end of a long file is read: when a note is deleted there, an older one moves into that part
		const from = isCut ? Math.max(0, notes.findIndex(wasGiven)) : 0;
		return { title, notes: notes.slice(from).filter((note) => !wasGiven(note)), isCut: false };
	});
	return packNews(unseen, limits);
}

/** Keeps in the session's cycle which notes it was given (by hash), and the time of the synchronisation that brought them. */
function keepGivenNotes(session: Session, syncTime: number, sections: readonly Section[]): void {
	const notes = sections.flatMap((section) => section.notes.map(({ text }) => noteHash(text)));
	changeCycle(session, (cycle) => void Object.assign(cycle, { shared: { at: syncTime, notes } }));
}

const noteHash = (text: string): string => sha256(text).slice(0, 12);
