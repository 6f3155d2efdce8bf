import { renameSync, rmSync, symlinkSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { linkText, quietLstat, quietly } from "../files/quietly.ts";
import { realPath } from "../files/real-path.ts";

/**
 * Where a store keeps copies of ccg's own files: a folder for each version, never changed once it has its name, and a link
 * `current` to the one at work. Registered commands name the link, so an update leaves none of them dead.
 */
export const appFolder = (root: string): string => join(root, "app");

/** The link in such a folder. */
export const currentLink = (app: string): string => join(app, "current");

/** The path that registered commands hold. */
export const stableLauncher = (app: string): string => join(currentLink(app), "bin", "ccg");

/** The short command in the store's own folder: a link to the launcher at work. */
export const shortLauncher = (root: string): string => join(root, "ccg");

/** How a launcher is told to a person or the model, and stands in permission rules: by the short command, where that leads to it. */
export function toldLauncher(launcher: string, root: string | null): string {
	const short = root === null ? launcher : shortLauncher(root);
	return realPath(short) === realPath(launcher) ? short : launcher;
}

/** Has the short command `link` lead to a launcher; what is no link there is somebody's own and stays. Never throws. */
export function keepShortLauncher(link: string, launcher: string): void {
	quietly(() => {
		const isOurs = quietLstat(link)?.isSymbolicLink() ?? true;
		if (isOurs && link !== launcher && linkText(link) !== launcher) swapLink(link, launcher);
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

/** What a copy tells of itself. */
export const COPY_FACTS = "copy.json";

/** The folder of copies that a copy lies in, or `null` for any other folder. */
export function appOf(copy: string): string | null {
	const app = dirname(copy);
	return basename(app) === "app" && linkText(currentLink(app)) !== undefined ? app : null;
}
