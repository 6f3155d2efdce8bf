import { bullet, type Note, plainText } from "./notes.ts";

/** What others wrote of a project, in its folder, or of all projects, in the store's: made anew by each `ccg sync now`. */
export const SHARED = "shared.md";

/** A line of that file: who, by the writer's clock when, and `: text`, before which more may stand. */
export const sharedBullet = (by: string, at: number, said: string): string =>
	bullet(`${by.replace(/[,\s]+/g, " ")}, ${new Date(at).toISOString().slice(0, 10)}${said}`);

/** Who wrote a note of that file, and on which day; `null` where it is none that was made so. */
export function sharedBy(note: Note): { by: string; on: string } | null {
	const [, by, on] = /^([^,\n]{1,400}), (\d{4}-\d\d-\d\d)[:,] /.exec(plainText(note)) ?? [];
	return by && on ? { by, on } : null;
}
