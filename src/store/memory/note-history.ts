import { dayOf, type NoteFact, type NoteUse } from "./note-facts.ts";

/** A note's age and last use. */
export interface NoteHistory {
	/** When it was saved, ISO 8601, where ccg saved it. */
	savedAt: string | null;
	/** The day the note itself gives, at its beginning, at its end in brackets, or in its heading. */
	dated: string | null;
	branch: string | null;
	lastUsed: { day: string; how: NoteUse } | null;
}

export function historyOf(
	note: { lines: readonly string[]; heading: string | null },
	fact: NoteFact | undefined,
	now: Date,
): NoteHistory {
	const uses = (["start", "found", "shown"] as const).flatMap((how) => {
		const day = fact?.[how];
		return day ? [{ day, how }] : [];
	});
	const saved = Date.parse(fact?.saved ?? "");
	return {
		savedAt: Number.isNaN(saved) ? null : new Date(saved).toISOString(),
		dated: ownDay(note, dayOf(new Date(now.getTime() + 86_400_000))),
		branch: fact?.branch ?? null,
		lastUsed: uses.sort((a, b) => (a.day < b.day ? 1 : -1))[0] ?? null,
	};
}

const FIRST_DAY = /^\s*(?:(?:[-*+]|\d{1,9}[.)])\s+)?[*_[(]{0,3}(\d{4}-\d\d-\d\d)(?![\d-])/;
const LAST_DAY = /[([](\d{4}-\d\d-\d\d)[)\]]\W{0,3}$/;
const HEADING_DAY = /^#{1,6}\s[^\n]{0,100}?(\d{4}-\d\d-\d\d)(?![\d-])/;

/** A day that is to come is no day a note was written; a day of leeway, for whoever lives ahead of UTC. */
function ownDay(
	{ lines, heading }: { lines: readonly string[]; heading: string | null },
	latest: string,
): string | null {
	const found = [
		FIRST_DAY.exec(lines[0] ?? ""),
		LAST_DAY.exec(lines.at(-1)?.slice(-40) ?? ""),
		HEADING_DAY.exec(heading ?? ""),
	];
	const days = found.map((match) => match?.[1]).filter((day) => day !== undefined);
	return days.find((day) => day <= latest && !Number.isNaN(Date.parse(day))) ?? null;
}
