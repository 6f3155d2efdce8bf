import { readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { appFolder, stableLauncher } from "../../store/app-folder.ts";
import { quietly } from "../../store/atomic-write.ts";
import { compileBundles } from "../bytecode.ts";
import { makeNamedCopy, packageIn, pointTo } from "../own-copy.ts";
import { ownCopyName, type PluginFolders } from "./plugin-folders.ts";

/**
 * Makes the copy of the plugin that its hooks prefer, in the plugin's data folder: with Bun, with bytecode, in a folder of the version's own
 * name, so that a session of before an update keeps its version. `current` then leads to it. Gives the launcher behind that link. On Node
 * there is nothing to gain: `current` leads to the plugin itself. Throws where the plugin's folder is none of ours or nothing can
 * be written.
 */
export async function prepareCopy({ root, data }: PluginFolders): Promise<string> {
	const name = ownCopyName(root);
	const from = packageIn(root);
	if (!name || !from) throw new Error(`${root} is no plugin of ccg's: its package.json names no copy`);
	const app = appFolder(data);
	if (!process.versions.bun) pointTo(app, root);
	else
		await makeNamedCopy(name, { from, app, runtime: process.execPath, way: "plugin" }, (bundles, source, to) =>
			compileBundles(bundles, { from: source, to }),
		);
	for (const old of staleCopies(app, name)) quietly(() => rmSync(old, { recursive: true, force: true }));
	return stableLauncher(app);
}

const KEPT = 2;
const HOUR_MS = 3_600_000;

/** Copies beyond those that sessions of a while ago may use; who loses its copy goes on from the plugin's own folder. */
function staleCopies(app: string, name: string): string[] {
	const age = (path: string): number => Date.now() - statSync(path).mtimeMs;
	const all = readdirSync(app).map((one) => ({ one, path: join(app, one) }));
	const copies = all.filter(({ one }) => /^\d/.test(one) && one !== name).map(({ path }) => path);
	// of a process that was killed
	const begun = all.filter(({ one, path }) => one.startsWith(".") && age(path) > HOUR_MS).map(({ path }) => path);
	return [...copies.sort((a, b) => age(a) - age(b)).slice(KEPT), ...begun];
}
