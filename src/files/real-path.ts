import { realpathSync } from "node:fs";
import { dirname, isAbsolute } from "node:path";

/** A path with its links resolved; of one that is not there yet the part that is. Never throws. */
export function realPath(path: string): string {
	for (let at = path; isAbsolute(at); at = dirname(at)) {
		try {
			return realpathSync.native(at) + path.slice(at === "/" ? 0 : at.length);
		} catch {
			if (dirname(at) === at) return path;
		}
	}
	return path;
}
