import { lstatSync, type Stats } from "node:fs";
import { extname, join } from "node:path";
import { quietStat } from "../../files/quiet-stat.ts";
import { isWithin, realPath } from "../../files/real-path.ts";
import { loadConfig } from "../config/config.ts";
import { refuseSecondName } from "../second-name.ts";

/**
 * Where a notes file (MEMORY.md, a daily log) of the store really lies, and its facts; `null` when there is none yet. It is
 * a regular file with one name. A symbolic link counts when it leads to a Markdown file of the user's own inside the store,
 * or below `memory.linkFolder` of config.json, for people who keep their notes elsewhere. Throws an error that names the
 * file and what to do: whoever can plant such a link would choose what is written to, or what the model is told.
 */
export function notesFile(root: string, path: string): { path: string; stat: Stats } | null {
	const stat = lstatSync(path, { throwIfNoEntry: false });
	if (!stat) return null;
	if (stat.isSymbolicLink()) return linked(root, path);
	if (!stat.isFile()) throw new Error("it is no regular file; move it away");
	refuseSecondName(path, stat);
	return { path, stat };
}

function linked(root: string, path: string): { path: string; stat: Stats } {
	const refused = (why: string): Error =>
		Object.assign(
			new Error(
				`${path} is a symbolic link ${why}; put the file itself there, or name the folder it leads to in ${join(root, "config.json")}: "memory": {"linkFolder": "/path/of/the/folder"}`,
			),
			{ code: "ELOOP" },
		);
	const real = realPath(path);
	const stat = quietStat(real);
	if (!stat) throw refused("that leads nowhere");
	const { linkFolder } = loadConfig(root).config.memory;
	const inside = [root, ...(linkFolder ? [linkFolder] : [])].some((folder) => isWithin(real, realPath(folder)));
	if (!inside) throw refused(`that leads out of the store, to ${real}`);
	if (!stat.isFile() || extname(real) !== ".md") throw refused(`to ${real}, which is no Markdown file`);
	if (stat.uid !== process.geteuid!()) throw refused(`to ${real}, which belongs to somebody else`);
	refuseSecondName(real, stat);
	return { path: real, stat };
}
