import { realpathSync } from "node:fs";
import { dirname, isAbsolute } from "node:path";
import { linkText, quietly } from "./quietly.ts";

/** So many links are followed in one path, as by the kernel: links may lead in a circle. */
const MAX_LINKS = 40;

/** The longest path in bytes that the kernel takes, its end included. */
const PATH_MAX = 4_096;

/**
 * The one way in which a path is resolved before it is judged and used: links as the kernel follows them, `..` behind a link
 * leads where the link does, and what is missing keeps its name. No link below /proc is followed: it is another one
 * in each process (`isOfProcess`). A relative path stays as it is. One that is too long for the kernel becomes a single name at
 * the root, which is too long as well: it lies in no folder, and nothing can be read or written there. Never throws.
 */
export function realPath(path: string): string {
	if (!isAbsolute(path)) return path;
	if (Buffer.byteLength(path) >= PATH_MAX) return `/${path.replaceAll("/", "_")}`;
	if (native(path) === path) return path;
	const pending = path.split("/").reverse();
	let links = MAX_LINKS;
	let at = "";
	// so many last parts of `at` are missing: below them the disk is not asked
	let missing = 0;
	while (pending.length > 0) {
		const name = pending.pop()!;
		if (name === "" || name === ".") continue;
		if (name === "..") {
			at = at.slice(0, Math.max(0, at.lastIndexOf("/")));
			missing = Math.max(0, missing - 1);
			continue;
		}
		const next = `${at}/${name}`;
		const isAsked = missing === 0 && !isOfProcess(next);
		const real = isAsked ? native(next) : undefined;
		const link = isAsked && real !== next ? linkText(next) : undefined;
		if (link !== undefined && links > 0) {
			links--;
			if (isAbsolute(link)) at = "";
			pending.push(...link.split("/").reverse());
			continue;
		}
		// (its name as the disk has it, where case does not count)
		at = link === undefined ? (real ?? next) : next;
		if (real === undefined && !isOfProcess(next)) missing++;
	}
	return at || "/";
}

/** Whether a resolved path means another file in each process. */
export const isOfProcess = (real: string): boolean => /^\/(?:proc|dev\/fd)(?:\/|$)/.test(real);

/** Whether a path is the folder or lies below it. Both are resolved. */
export const isWithin = (real: string, folder: string): boolean =>
	real === folder || real.startsWith(folder.endsWith("/") ? folder : `${folder}/`);

/** The path as the system resolves it; `undefined` where a part is missing. */
const native = (path: string): string | undefined => quietly(() => realpathSync.native(path));

/** A folder and those above it, the nearest first, up to the root. */
export function* foldersUp(folder: string): Generator<string> {
	for (let at = folder; ; at = dirname(at)) {
		yield at;
		if (dirname(at) === at) return;
	}
}
