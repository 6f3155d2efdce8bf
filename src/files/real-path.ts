import { realpathSync } from "node:fs";
import { dirname, isAbsolute } from "node:path";
import { readLinkTarget, tryOrUndefined } from "./quietly.ts";

/** As many links as the kernel follows in one path: links may lead in a circle. */
const MAX_LINKS = 40;

/** The longest path in bytes that the kernel takes, its end included. */
const PATH_MAX = 4_096;

/**
 * Resolves a path as the kernel does, links and `..` included; parts that are missing keep their names. Every path is resolved so before
 * it is checked or used. Links below /proc are not followed (`isPerProcessPath`), and a relative path stays as it is. A path too long for
 * the kernel becomes one name at the root, too long as well, where nothing can be read or written. Never throws.
 */
export function realPath(path: string): string {
	if (!isAbsolute(path)) return path;
	if (Buffer.byteLength(path) >= PATH_MAX) return `/${path.replaceAll("/", "_")}`;
	if (resolveNative(path) === path) return path;
	const pending = path.split("/").reverse();
	let links = MAX_LINKS;
	let resolved = "";
	// how many of the last parts of `resolved` do not exist
	let missingParts = 0;
	while (pending.length > 0) {
		const name = pending.pop()!;
		if (name === "" || name === ".") continue;
		if (name === "..") {
			resolved = resolved.slice(0, Math.max(0, resolved.lastIndexOf("/")));
			missingParts = Math.max(0, missingParts - 1);
			continue;
		}
		const next = `${resolved}/${name}`;
		const mayExist = missingParts === 0 && !isPerProcessPath(next);
		const native = mayExist ? resolveNative(next) : undefined;
		const link = mayExist && native !== next ? readLinkTarget(next) : undefined;
		if (link !== undefined && links > 0) {
			links--;
			if (isAbsolute(link)) resolved = "";
			pending.push(...link.split("/").reverse());
			continue;
		}
		// the native name, since on some disks upper and lower case are the same
		resolved = link === undefined ? (native ?? next) : next;
		if (native === undefined && !isPerProcessPath(next)) missingParts++;
	}
	return resolved || "/";
}

/** Whether a resolved path means another file in each process. */
export const isPerProcessPath = (real: string): boolean => /^\/(?:proc|dev\/fd)(?:\/|$)/.test(real);

/** Whether a path is the folder or lies below it. Both are resolved. */
export const isWithin = (real: string, folder: string): boolean =>
	real === folder || real.startsWith(folder.endsWith("/") ? folder : `${folder}/`);

/** The path as the system resolves it; `undefined` where a part is missing. */
const resolveNative = (path: string): string | undefined => tryOrUndefined(() => realpathSync.native(path));

/** A folder and those above it, the nearest first, up to the root. */
export function* foldersUp(folder: string): Generator<string> {
	for (let at = folder; ; at = dirname(at)) {
		yield at;
		if (dirname(at) === at) return;
	}
}
