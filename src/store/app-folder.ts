import { renameSync, rmSync, symlinkSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { shellWord } from "../core/text/quoted.ts";
import { readLinkTarget, tryLstat, tryOrUndefined } from "../files/quietly.ts";
import { isWithin, realPath } from "../files/real-path.ts";

/**
 * Where a store keeps copies of ccg's own files: a folder for each version, never changed once it has its name, and a link
 * `current` to the one at work. Registered commands name the link, so an update leaves none of them dead.
 */
export const appFolder = (root: string): string => join(root, "app");

/** The link `current` in an app folder. */
export const currentLinkPath = (app: string): string => join(app, "current");

/** The launcher that registered commands name: this path stays the same over updates. */
export const stableLauncherPath = (app: string): string => join(currentLinkPath(app), "bin", "ccg");

/** The store in which a launcher of the form `stableLauncherPath` lies; `null` for any other launcher, which uses the store of the home folder. */
export function launcherStore(launcher: string): string | null {
	const pathInStore = stableLauncherPath(appFolder("/"));
	return launcher.endsWith(pathInStore) ? launcher.slice(0, -pathInStore.length) : null;
}

/** The short command `ccg` in the store's folder: a link to the launcher in use. */
export const shortLauncherPath = (root: string): string => join(root, "ccg");

/** The path of a launcher as people, the model and permission rules name it: the short command where that leads to it. */
export function typedLauncher(launcher: string, root: string | null): string {
	const short = root === null ? launcher : shortLauncherPath(root);
	return realPath(short) === realPath(launcher) ? short : launcher;
}

/**
 * Puts `homeSign` in the place of the home folder in a path, and quotes the rest with `quote`: the path is then right on each machine that has
 * this home elsewhere. Claude Code expands `"$HOME"` in commands of settings, `${HOME}` only for MCP servers (measured on 2.1.332).
 */
export function replaceHome(path: string, homeSign: string, quote = (rest: string): string => rest): string {
	const folder = realPath(process.env.HOME || "/");
	return folder !== "/" && isWithin(path, folder) ? homeSign + quote(path.slice(folder.length)) : quote(path);
}

/** A path as it is typed into a shell: with `~` where that needs no quotes, since permission rules know neither quotes nor variables. */
export function typedPath(path: string): string {
	const word = replaceHome(path, "~");
	return shellWord(word.slice(1)) === word.slice(1) ? word : shellWord(path);
}

/** Makes the short command `link` lead to a launcher; a file there that is no link is somebody's own and stays. Never throws. */
export function linkShortLauncher(link: string, launcher: string): void {
	tryOrUndefined(() => {
		const isOurs = tryLstat(link)?.isSymbolicLink() ?? true;
		const target = relative(realPath(dirname(link)), launcher);
		if (isOurs && link !== launcher && readLinkTarget(link) !== target) replaceLink(link, target);
	});
}

/** Removes the short command where it is a link. Never throws. */
export function removeShortLauncher(root: string): void {
	tryOrUndefined(() => readLinkTarget(shortLauncherPath(root)) !== undefined && rmSync(shortLauncherPath(root)));
}

/** Points a link at another target by one rename: a reader finds the old link or the new one. */
export function replaceLink(link: string, target: string): void {
	const draft = join(dirname(link), `.${basename(link)}.${process.pid}.0.tmp`);
	rmSync(draft, { force: true });
	symlinkSync(target, draft);
	renameSync(draft, link);
}
