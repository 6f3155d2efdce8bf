import { join, relative, sep } from "node:path";
import { withoutEnd } from "../core/text/text.ts";
import { writtenFilesBelow } from "../files/names-in.ts";
import { quietLstat } from "../files/quietly.ts";
import { statInside } from "../files/read-inside.ts";
import { repositoryOf } from "../git/repository.ts";
import { cleanText, noteText } from "./notes.ts";
import { notesOf } from "./notes-file.ts";

/** So many notes, the newest, and so many of the paths each names are looked at. */
const MOST = 2_000;
const MOST_PATHS = 100;
const MAX_CHARACTERS = 8_000;

/**
 * The notes that name a path which is not there, with the note's number from 1, and how many notes were looked at. Looks only inside of
 * the project's folder, and follows no link. Throws where a MEMORY.md is too long.
 */
export function checkNotes(root: string, cwd: string) {
	const top = repositoryOf(cwd)?.top ?? cwd;
	let files: string[] | undefined;
	const isElsewhere = (own: string): boolean => {
		files ??= writtenFilesBelow(top);
		return files.some((file) => file.endsWith(`/${own}`));
	};
	const checked = (["project", "global"] as const).flatMap((scope) => {
		const { notes } = notesOf({ root, scope: scope === "global" ? { global: true } : { cwd } });
		return notes.slice(-MOST).map((note, i) => {
			const text = cleanText(noteText(note));
			const paths = pathsIn(text).filter((path) => isPathGone(top, path, scope === "project" && isElsewhere));
			return { scope, number: Math.max(0, notes.length - MOST) + i + 1, text, paths };
		});
	});
	return { notes: checked.length, gone: checked.filter(({ paths }) => paths.length > 0) };
}

/** Words with a slash in them that can be paths: `src/a.ts:12`, `./src/a/`; no link, no `~/x`, no package. */
function pathsIn(text: string): string[] {
	const words = text.slice(0, MAX_CHARACTERS).split(/[\s`"'()<>,;|[\]]+/);
	const paths = words.map((word) =>
		withoutEnd(
			word
				.split("#", 1)[0]!
				.replace(/(?::\d+){1,2}$/, "")
				.replace(/^\.\//, ""),
			".,:;!?/",
		),
	);
	const isPath = (path: string): boolean => /^\/?[\w.+-]+(?:\/[\w.@+-]+)+$/.test(path);
	return [...new Set(paths.filter(isPath))].slice(0, MOST_PATHS);
}

/**
 * Not there, and below a folder of the project; or with an ending, where the project's own note may name a folder that is gone as a whole,
 * or the end of a path. What begins otherwise (`and/or`, `origin/main`, `/etc/x`, `a.com/x.html`) may be something else.
 */
function isPathGone(top: string, path: string, isElsewhere: false | ((own: string) => boolean)): boolean {
	const own = path.startsWith("/") ? relative(top, path).split(sep).join("/") : path;
	const [first = ""] = own.split("/");
	if (!own.includes("/") || /^\.\.?$/.test(first)) return false;
	const folder = quietLstat(join(top, first));
	if (folder) return folder.isDirectory() && statInside(top, own) === null;
	return isElsewhere !== false && /^\.?[^./]+\/.*\.[a-z]\w{0,9}$/i.test(own) && !isElsewhere(own);
}
