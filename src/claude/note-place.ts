import { quietLstat } from "../files/quiet-stat.ts";
import { isWithin, realPath } from "../files/real-path.ts";

/** A folder or a file of notes. `owner` is a folder above it that may be a link; below it none is followed. */
export interface NotePlace {
	path: string;
	owner: string;
}

/**
 * Whether what is written to `path` gets to the place of notes: no link on the way there, and the file, if it is there, a
 * regular one without a second name.
 */
export function isReallyInside(path: string, { path: place, owner }: NotePlace): boolean {
	if (!isWithin(path, place) || place === owner || !isWithin(place, owner)) return false;
	if (realPath(path) !== realPath(owner) + path.slice(owner.length)) return false;
	const file = quietLstat(path);
	return !file || (file.isFile() && file.nlink === 1);
}
