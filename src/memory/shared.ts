import { bullet, type Note, plainText } from "./notes.ts";

/** The file of other machines' notes, in a project's folder or, for all projects, in the store's; each `ccg sync now` writes it anew. */
export const SHARED = "shared.md";

/** The file beside it, of this machine's notes that another machine replaced or deleted, each with who did it and when. */
export const REPLACED = "replaced.md";

/** The last day whose year has four digits. */
const MAX_MS = Date.parse("9999-12-31");

/** A note of these files: who wrote it, when by the writer's clock, and `rest`, which is `: text` or has more words before it. */
export const sharedBullet = (by: string, at: number, rest: string): string =>
	bullet(`${by.replace(/[,\s]+/g, " ")}, ${utcMinute(at)}${rest}`);

const utcMinute = (at: number): string => {
	const [day, time] = new Date(Math.min(at, MAX_MS)).toISOString().split("T");
	return `${day} ${time!.slice(0, 5)} UTC`;
};

/** Who wrote a note of these files, and when (ISO 8601); `null` for a note that `sharedBullet` did not make. */
export function sharedBy(note: Note): { by: string; at: string } | null {
	const [, by, day, time] = /^([^,\n]{1,400}), (\d{4}-\d\d-\d\d) (\d\d:\d\d) UTC[:,] /.exec(plainText(note)) ?? [];
	return by ? { by, at: `${day}T${time}Z` } : null;
}
