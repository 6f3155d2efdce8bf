import { dirname } from "node:path";

/** A folder and those above it, the nearest first, up to the root. */
export function* foldersUp(folder: string): Generator<string> {
	for (let at = folder; ; at = dirname(at)) {
		yield at;
		if (dirname(at) === at) return;
	}
}
