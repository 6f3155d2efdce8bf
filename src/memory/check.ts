import { relative, sep } from "node:path";
import { withoutEnd } from "../core/text/text.ts";
import { statInside } from "../files/read-inside.ts";
import { repositoryOf } from "../git/repository.ts";
import { cleanText, textOf } from "./notes.ts";
import { notesOf } from "./notes-file.ts";

/** So many notes, the newest, and so many of the paths each names are looked at. */
const MOST = 2_000;
const MOST_PATHS = 100;
const MAX_CHARACTERS = 8_000;

/**
 * The project's notes that name a path which is not there, with the note's number from 1, and how many notes were looked at. Looks only
 * inside of the folder, and follows no link. Throws where MEMORY.md is too long.
 */
export function checkNotes(root: string, cwd: string) {
	const top = repositoryOf(cwd)?.top ?? cwd;
	const { notes } = notesOf({ root, scope: { cwd } });
	const checked = notes.slice(-MOST).map((note, i) => {
		const text = cleanText(textOf(note));
		const gone = pathsIn(text).filter((path) => isGone(top, path));
		return { number: Math.max(0, notes.length - MOST) + i + 1, text, paths: gone };
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

/** Below a folder of the project and not there: what begins otherwise (`and/or`, `origin/main`, `/etc/x`) may be something else. */
function isGone(top: string, path: string): boolean {
	const own = path.startsWith("/") ? relative(top, path).split(sep).join("/") : path;
	const [first = ""] = own.split("/");
	return own.includes("/") && statInside(top, first)?.isDirectory() === true && statInside(top, own) === null;
}
