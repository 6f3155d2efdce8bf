import { withoutEnd } from "../../core/text/without-end.ts";
import { statInside } from "../../files/read-inside.ts";
import { readHead } from "../../git/head.ts";
import { repositoryOf } from "../../git/repository.ts";
import type { NoteFact } from "./note-facts.ts";

/** Notes looked at, the newest; and looks at the file system. */
const MOST_NOTES = 300;
const MOST_LOOKS = 60;

/** A note's text as it stands in the file, and its `noteId`. */
export interface RawNote {
	raw: string;
	id(): number;
}

/** How well a note fits: 2 its branch is checked out, 1 it names a path that is there, 0 neither. */
export type Fit = 0 | 1 | 2;

/**
 * Tells how well notes fit a folder: those that name its branch or were saved on it, then those that name paths it has. Bounded: of many notes the newest are looked at, given from the newest back. Never throws.
 */
export function fitTo(folder: string): (note: RawNote, facts: ReadonlyMap<number, NoteFact>) => Fit {
	const repository = repositoryOf(folder);
	const branch = (repository && readHead(repository)?.branch) || null;
	const top = repository?.top ?? folder;
	let notes = 0;
	let looks = 0;
	const seen = new Map<string, boolean>();
	const isThere = (path: string): boolean => {
		const known = seen.get(path);
		if (known !== undefined || looks++ >= MOST_LOOKS) return known ?? false;
		const found = statInside(top, path) !== null;
		seen.set(path, found);
		return found;
	};
	return ({ raw, id }, facts) => {
		if (notes++ >= MOST_NOTES) return 0;
		if (branch && (namesBranch(raw, branch) || (facts.size > 0 && facts.get(id())?.branch === branch))) return 2;
		return mayBePaths(raw).some(isThere) ? 1 : 0;
	};
}

/** What could be a path of the project; whether it is one the file system tells. Quicker than to know what a note means. */
function mayBePaths(raw: string): string[] {
	return raw
		.slice(0, 4_000)
		.split(/[\s`"'()<>,;[\]]+/)
		.filter((token) => token.includes("/") || (token.includes(".") && FILE_NAME.test(token)))
		.map((token) =>
			withoutEnd(token, ".:!?")
				.replace(/(?::\d+){1,2}$/, "")
				.replace(/^\.\/|\/$/g, ""),
		)
		.filter((token) => !token.startsWith("/") && token.length < 300);
}

const FILE_NAME = /^[\w-][\w.-]{0,80}\.[A-Za-z]\w{0,6}$/;

/** A branch with a plain name (`main`) is named in backticks or beside the word "branch". */
export function namesBranch(text: string, branch: string): boolean {
	const isPlain = !/[/\d_-]/.test(branch) || branch.length < 4;
	for (let at = text.indexOf(branch); at >= 0; at = text.indexOf(branch, at + 1)) {
		const [before, after] = [
			text.slice(Math.max(0, at - 10), at),
			text.slice(at + branch.length, at + branch.length + 10),
		];
		if (/[\w./-]$/.test(before) || /^(?:[\w/-]|\.\w)/.test(after)) continue;
		if (!isPlain || (before.endsWith("`") && after.startsWith("`"))) return true;
		if (/\bbranch\W{1,2}$/i.test(before) || /^\W{1,2}branch/i.test(after)) return true;
	}
	return false;
}
