import { lstatSync, type Stats, statSync } from "node:fs";

/** What a path leads to; `undefined` where there is nothing, or nothing that may be looked at. Never throws. */
export const quietStat = (path: string): Stats | undefined => quietly(statSync, path);

/** The same of the path itself, which may be a link. */
export const quietLstat = (path: string): Stats | undefined => quietly(lstatSync, path);

function quietly(stat: (path: string, options: { throwIfNoEntry: false }) => Stats | undefined, path: string) {
	try {
		return stat(path, { throwIfNoEntry: false });
	} catch {
		return undefined;
	}
}
