import { lstatSync } from "node:fs";
import { basename, dirname, join } from "node:path";

/**
 * Where a store keeps copies of ccg's own files: a folder for each version, never changed once it has its name, and a link
 * `current` to the one at work. Registered commands name the link, so an update leaves none of them dead.
 */
export const appFolder = (root: string): string => join(root, "app");

/** The link in such a folder. */
export const currentLink = (app: string): string => join(app, "current");

/** The path that registered commands hold. */
export const stableLauncher = (app: string): string => join(currentLink(app), "bin", "ccg");

/** What a copy tells of itself. */
export const COPY_FACTS = "copy.json";

/** The folder of copies that a copy lies in, or `null` for any other folder. */
export function appOf(copy: string): string | null {
	const app = dirname(copy);
	if (basename(app) !== "app" || !lstatSync(currentLink(app), { throwIfNoEntry: false })?.isSymbolicLink()) return null;
	return app;
}
