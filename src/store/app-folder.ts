import { renameSync, rmSync, symlinkSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { shellWord } from "../core/text/quoted.ts";
import { linkText, quietLstat, quietly } from "../files/quietly.ts";
import { isWithin, realPath } from "../files/real-path.ts";

/**
 * Where a store keeps copies of ccg's own files: a folder for each version, never changed once it has its name, and a link
 * `current` to the one at work. Registered commands name the link, so an update leaves none of them dead.
 */
export const appFolder = (root: string): string => join(root, "app");

/** The link in such a folder. */
export const currentLink = (app: string): string => join(app, "current");

/** The path that registered commands hold. */
export const stableLauncher = (app: string): string => join(currentLink(app), "bin", "ccg");

/** The store that such a launcher lies in, which is the one it uses; `null` of any other launcher: it uses that of the home folder. */
export function storeOfLauncher(launcher: string): string | null {
	const end = stableLauncher(appFolder("/"));
	return launcher.endsWith(end) ? launcher.slice(0, -end.length) : null;
}

/** The short command in the store's own folder: a link to the launcher at work. */
export const shortLauncher = (root: string): string => join(root, "ccg");

/** How a launcher is told to a person or the model, and stands in permission rules: by the short command, where that leads to it. */
export function toldLauncher(launcher: string, root: string | null): string {
	const short = root === null ? launcher : shortLauncher(root);
	return realPath(short) === realPath(launcher) ? short : launcher;
}

/**
 * A path as a word in which `home` stands for the home folder, so that it is good on each machine and in each container that has this home
 * elsewhere. `"$HOME"` in commands of the settings, `${HOME}` for MCP servers: of those alone Claude Code takes these (measured on 2.1.332).
 */
export function inHome(path: string, home: string, word = (rest: string): string => rest): string {
	const folder = realPath(process.env.HOME || "/");
	return folder !== "/" && isWithin(path, folder) ? home + word(path.slice(folder.length)) : word(path);
}

/** The same as it is typed into a shell, and stands in permission rules, which know no quotes and no variable. */
export function typedWord(path: string): string {
	const word = inHome(path, "~");
	return shellWord(word.slice(1)) === word.slice(1) ? word : shellWord(path);
}

/** Has the short command `link` lead to a launcher; what is no link there is somebody's own and stays. Never throws. */
export function keepShortLauncher(link: string, launcher: string): void {
	quietly(() => {
		const isOurs = quietLstat(link)?.isSymbolicLink() ?? true;
		const target = relative(realPath(dirname(link)), launcher);
		if (isOurs && link !== launcher && linkText(link) !== target) swapLink(link, target);
	});
}

export function removeShortLauncher(root: string): void {
	quietly(() => linkText(shortLauncher(root)) !== undefined && rmSync(shortLauncher(root)));
}

/** By one rename: whoever looks finds the old one or the new one. */
export function swapLink(link: string, target: string): void {
	const made = join(dirname(link), `.${basename(link)}.${process.pid}.0.tmp`);
	rmSync(made, { force: true });
	symlinkSync(target, made);
	renameSync(made, link);
}
