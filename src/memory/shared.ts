import { formatBullet, type Note, noteBody } from "./notes.ts";

/** The file of other machines' notes, in a project's folder or, for all projects, in the store's; each `ccg sync now` writes it anew. */
export const SHARED_FILE = "shared.md";

/** The file beside it, of this machine's notes that another machine replaced or deleted, each with who did it and when. */
export const REPLACED_FILE = "replaced.md";

/** The last day whose year has four digits. */
const MAX_TIME_MS = Date.parse("9999-12-31");

/** A bullet for `shared.md` or `replaced.md`: the machine that wrote the note, the time by its clock, and `rest`: `: text`, also with words before. */
export const formatSharedNote = (by: string, at: number, rest: string): string =>
	formatBullet(`${by.replace(/[,\s]+/g, " ")}, ${formatUtcMinute(at)}${rest}`);

/** A time (milliseconds) as `YYYY-MM-DD HH:MM UTC`. */
const formatUtcMinute = (at: number): string => {
	const [day, time] = new Date(Math.min(at, MAX_TIME_MS)).toISOString().split("T");
	return `${day} ${time!.slice(0, 5)} UTC`;
};

/** Which machine wrote a note of `shared.md` or `replaced.md`, and when (ISO 8601); `null` for a note that `formatSharedNote` did not make. */
export function parseSharedNote(note: Note): { by: string; at: string } | null {
	const [, by, day, time] = /^([^,\n]{1,400}), (\d{4}-\d\d-\d\d) (\d\d:\d\d) UTC[:,] /.exec(noteBody(note)) ?? [];
	return by ? { by, at: `${day}T${time}Z` } : null;
}
