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

/** The link `current` in an app folder. */
export const currentLink = (app: string): string => join(app, "current");

/** The path that registered commands hold. */
export const stableLauncher = (app: string): string => join(currentLink(app), "bin", "ccg");

/** The store that a stable launcher lies in and uses; `null` for any other launcher, which uses the store of the home folder. */
export function storeOfLauncher(launcher: string): string | null {
	const end = stableLauncher(appFolder("/"));
	return launcher.endsWith(end) ? launcher.slice(0, -end.length) : null;
}

/** The short command in the store's own folder: a link to the launcher at work. */
export const shortLauncher = (root: string): string => join(root, "ccg");

/** The path by which people, the model and permission rules name a launcher: the short command, where that leads to it. */
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

/** A path as it is typed into a shell, and as permission rules have it, which know no quotes and no variable: with `~` where possible. */
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

/** Points a link at another target by one rename: a reader finds the old link or the new one. */
export function swapLink(link: string, target: string): void {
	const draft = join(dirname(link), `.${basename(link)}.${process.pid}.0.tmp`);
	rmSync(draft, { force: true });
	symlinkSync(target, draft);
	renameSync(draft, link);
}
