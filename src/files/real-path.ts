import { realpathSync } from "node:fs";
import { dirname, isAbsolute } from "node:path";
import { linkText } from "./read-inside.ts";

/** As the kernel: so many in one path, or it never ends. */
const MAX_LINKS = 40;

/**
 * The one way in which a path is resolved before it is judged and used: links as the kernel follows them, `..` behind a link
 * leads where the link does, and what is missing keeps its name. No link below /proc is followed: it is another one
 * in each process (`isOfProcess`). A relative path stays as it is. Never throws.
 */
export function realPath(path: string, left = { links: MAX_LINKS }): string {
	if (!isAbsolute(path)) return path;
	if (native(path) === path) return path;
	// (`dirname` looks at the text alone, and takes nothing back for a `..`)
	let length = path.length;
	while (length > 0 && path[length - 1] === "/") length--;
	if (length === 0) return "/";
	const end = path.slice(0, length);
	const parent = realPath(dirname(end), left);
	const name = end.slice(end.lastIndexOf("/") + 1);
	if (name === ".") return parent;
	if (name === "..") return dirname(parent);
	const at = parent === "/" ? `/${name}` : `${parent}/${name}`;
	const link = isOfProcess(at) || left.links <= 0 ? null : linkText(at);
	// (its name as the disk has it, where case does not count)
	if (link === null) return isOfProcess(at) ? at : (native(at) ?? at);
	left.links--;
	return realPath(isAbsolute(link) ? link : `${parent}/${link}`, left);
}

/** Whether a resolved path leads elsewhere in each process. */
export const isOfProcess = (real: string): boolean => /^\/(?:proc|dev\/fd)(?:\/|$)/.test(real);

/** Whether a path is the folder or lies below it. Both are resolved. */
export const isWithin = (real: string, folder: string): boolean =>
	real === folder || real.startsWith(folder.endsWith("/") ? folder : `${folder}/`);

/** `null` where a part is missing. */
function native(path: string): string | null {
	try {
		return realpathSync.native(path);
	} catch {
		return null;
	}
}
