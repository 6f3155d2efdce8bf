import { partOfClean } from "../redact/secrets.ts";
import { barred, foreign, quotedName, storePath } from "../text/quoted.ts";
import { oneLine } from "../text/text.ts";

export { barred, foreign, quotedName, storePath };

export const oneQuote = (text: string): string => `"${oneLine(text)}"`;

/** A path below the session's folder, shortened; others as they are. */
export function relative(path: string, cwd: string): string {
	return cwd && path.startsWith(`${cwd}/`) ? path.slice(cwd.length + 1) : path;
}

/** A text that names a folder's paths, with the paths told from there on. `/srv/app` and `/app2` are not in `/app`. */
export function withoutBase(text: string, base: string): string {
	if (base.length <= 3) return text;
	let told = "";
	let from = 0;
	for (let at = text.indexOf(base); at >= 0; at = text.indexOf(base, at + base.length)) {
		const end = at + base.length;
		const next = text[end] ?? "";
		if (IN_PATH.test(text[at - 1] ?? "") || (next !== "/" && IN_PATH.test(next))) continue;
		const isBelow = next === "/" && IN_PATH.test(text[end + 1] ?? "");
		told += `${text.slice(from, at)}${isBelow ? "" : "."}`;
		from = isBelow ? end + 1 : end;
	}
	return told + text.slice(from);
}
const IN_PATH = /[\p{L}\p{N}_./~@+-]/u;

/** The beginning of a line, with a mark where it was cut. */
export const brief = (line: string, max: number): string =>
	line.length <= max ? line : partOfClean(line, `${line.slice(0, max - 1).trimEnd()}…`.toWellFormed());
