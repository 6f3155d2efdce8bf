import type { WorkBudget } from "../../files/budget.ts";
import { namesInside } from "../../files/names-inside.ts";
import { openInside, statInside } from "../../files/read-inside.ts";
import { repositoryOf } from "../../git/repository.ts";

/** What a project's folder holds, as far as it was looked at. */
export interface ProjectNames {
	top: string;
	/** Files, relative to the folder. */
	names: string[];
	/** All of them are known. */
	complete: boolean;
}

/** The files of the project that a folder lies in: found by walking. No link is followed. */
export function projectNames(folder: string, budget: WorkBudget): ProjectNames {
	const top = repositoryOf(folder)?.top ?? folder;
	const { names, complete } = namesInside(top, budget.look);
	return { top, names: names.sort(), complete };
}

/** Whether a path a note names is there: below the folder, or as the end of a file's or a folder's path. */
export function hasPath({ top, names }: ProjectNames, path: string): boolean {
	if (statInside(top, path) !== null) return true;
	return names.some((name) => {
		const at = `/${name}`.indexOf(`/${path}`);
		return at >= 0 && (`/${name}`.length === at + path.length + 1 || `/${name}/`.includes(`/${path}/`));
	});
}

const MAX_FILE = 1024 * 1024;
/** Prose tells what was; it is no place where a symbol lives. */
const PROSE =
	/\.(?:md|mdx|txt|rst|adoc|org|log|lock|map|svg|snap)$|(?:^|\/)(?:CHANGELOG|HISTORY|NEWS|package-lock\.json)[^/]*$/i;

/** Those of the symbols that stand in no file of the project as whole words, and how many files were not looked at. */
export function missingSymbols(
	{ top, names }: ProjectNames,
	symbols: readonly string[],
	budget: WorkBudget,
): { missing: Set<string>; searched: number; unseen: number } {
	const missing = new Set(symbols);
	const code = names.filter((name) => !PROSE.test(name));
	let searched = 0;
	let unseen = 0;
	for (const [i, name] of code.entries()) {
		if (missing.size === 0) break;
		const stat = statInside(top, name);
		if (!stat?.isFile()) continue;
		if (!budget.look() || budget.late()) {
			unseen += code.length - i;
			break;
		}
		const found =
			stat.size <= MAX_FILE && budget.bytes(stat.size) ? openInside(top, name, { maxBytes: MAX_FILE }) : null;
		if (!found) {
			unseen++;
			continue;
		}
		searched++;
		if (found.bytes.subarray(0, 8_000).includes(0)) continue;
		const text = found.bytes.toString("latin1");
		for (const symbol of missing) if (holdsWord(text, symbol)) missing.delete(symbol);
	}
	return { missing, searched, unseen };
}

function holdsWord(text: string, word: string): boolean {
	for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1))
		if (!/[\w$]/.test(text[at - 1] ?? " ") && !/[\w$]/.test(text[at + word.length] ?? " ")) return true;
	return false;
}
