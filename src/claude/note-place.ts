import { lstatSync, type Stats } from "node:fs";
import { dirname } from "node:path";

/** A folder or a file of notes. `owner` is a folder above it that may be a link; below it none is followed. */
export interface NotePlace {
	path: string;
	owner: string;
}

/**
 * Whether what is written to `path` gets to the place of notes: no link on the way there, and the file, if it is there, a
 * regular one without a second name.
 */
export function isReallyInside(path: string, place: NotePlace): boolean {
	if (path !== place.path && !path.startsWith(`${place.path}/`)) return false;
	if (!place.path.startsWith(`${place.owner}/`)) return false;
	const file = statOf(path);
	if (file === "unknown" || (file && (!file.isFile() || file.nlink > 1))) return false;
	for (let at = dirname(path); at.length > place.owner.length; at = dirname(at)) {
		const stat = statOf(at);
		if (stat === "unknown" || (stat && !stat.isDirectory())) return false;
	}
	return true;
}

function statOf(path: string): Stats | null | "unknown" {
	try {
		return lstatSync(path);
	} catch (error) {
		return (error as { code?: string }).code === "ENOENT" ? null : "unknown";
	}
}
