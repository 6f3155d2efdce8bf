import { quietStat } from "../files/quietly.ts";
import { sha256 } from "../store/gate.ts";
import { lastSyncPath } from "../store/paths.ts";
import { changeCycle, readCycle } from "../store/session/cycles.ts";
import type { Session } from "../store/session-handle.ts";
import { newsFrom, type Section, sharedSections } from "./start.ts";

/** Each exchange ends with a write there. `null` where this store shares nothing. */
const exchangedAt = (root: string): number | null => quietStat(lastSyncPath(root))?.mtimeMs ?? null;

/** What others wrote, for a start, which keeps that it is told. */
export function othersAtStart(session: Session, cwd: string, now: Date): Section[] {
	// first: what comes between the two looks is told with the next prompt
	const at = exchangedAt(session.root);
	const sections = sharedSections(session, cwd, now);
	if (at !== null) keepTold(session, at, sections);
	return sections;
}

/**
 * What others wrote since this session was told, once; `null` where there is nothing new. Costs one look at the disk where nothing is
 * shared. Throws why it can't be kept, and then nothing is told: it would be with every prompt.
 */
export function newNotes(
	session: Session,
	cwd: string,
	now: Date,
	room: Parameters<typeof newsFrom>[1],
): string | null {
	const at = exchangedAt(session.root);
	if (at === null) return null;
	const told = readCycle(session).shared;
	if (told?.at === at) return null;
	const sections = sharedSections(session, cwd, now);
	keepTold(session, at, sections);
	const known = new Set(told?.notes);
	const isKnown = ({ text }: Section["notes"][number]): boolean => known.has(noteHash(text));
	const fresh = sections.map(({ title, notes, isCut }) => {
		// of a long file only the end is read, so what is taken out of it brings older notes into sight
		const from = isCut ? Math.max(0, notes.findIndex(isKnown)) : 0;
		return { title, notes: notes.slice(from).filter((note) => !isKnown(note)), isCut: false };
	});
	return newsFrom(fresh, room);
}

function keepTold(session: Session, at: number, sections: readonly Section[]): void {
	const notes = sections.flatMap((section) => section.notes.map(({ text }) => noteHash(text)));
	changeCycle(session, (cycle) => void Object.assign(cycle, { shared: { at, notes } }));
}

const noteHash = (text: string): string => sha256(text).slice(0, 12);
