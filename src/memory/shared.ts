import { bullet, type Note, plainText } from "./notes.ts";

/** What others wrote of a project, in its folder, or of all projects, in the store's: made anew by each `ccg sync now`. */
export const SHARED = "shared.md";

/** Beside it: notes of this machine that another one replaced or deleted, each with who did it and when. */
export const REPLACED = "replaced.md";

/** The last day that is written with ten signs. */
const MAX_MS = Date.parse("9999-12-31");

/** A line of these files: who, by the writer's clock when, and `: text`, before which more may stand. */
export const sharedBullet = (by: string, at: number, said: string): string =>
	bullet(`${by.replace(/[,\s]+/g, " ")}, ${utcMinute(at)}${said}`);

const utcMinute = (at: number): string => {
	const [day, time] = new Date(Math.min(at, MAX_MS)).toISOString().split("T");
	return `${day} ${time!.slice(0, 5)} UTC`;
};

/** Who wrote a note of these files, and when (ISO 8601); `null` where it is none that was made so. */
export function sharedBy(note: Note): { by: string; at: string } | null {
	const [, by, day, time] = /^([^,\n]{1,400}), (\d{4}-\d\d-\d\d) (\d\d:\d\d) UTC[:,] /.exec(plainText(note)) ?? [];
	return by ? { by, at: `${day}T${time}Z` } : null;
}
