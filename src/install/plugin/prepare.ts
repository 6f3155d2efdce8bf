import { readdirSync, readFileSync, renameSync, rmSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { quietly } from "../../store/atomic-write.ts";
import { ownCopy } from "../own-copy.ts";
import { currentCopy, type PluginFolders, stableLauncher } from "./plugin-folders.ts";

/**
 * Makes the copy of the plugin that its hooks prefer, in the plugin's data folder: with Bun, with bytecode, in a folder of the version's own
 * name, so that a session of before an update keeps its version. `current` then leads to it. Gives the launcher behind that link. Throws
 * where the plugin's folder is none of ours or nothing can be written.
 */
export async function prepareCopy({ root, data }: PluginFolders): Promise<string> {
	const name = copyName(root);
	const app = join(data, "app");
	await ownCopy({ from: root, into: join(app, name), origin: "plugin" });
	if (currentCopy(data) !== name) pointTo(app, name);
	for (const old of staleCopies(app, name)) quietly(() => rmSync(old, { recursive: true, force: true }));
	return stableLauncher(data);
}

/** By one rename: whoever looks finds the old one or the new one. */
function pointTo(app: string, name: string): void {
	const next = join(app, `.current-${process.pid}`);
	rmSync(next, { force: true });
	symlinkSync(name, next);
	renameSync(next, join(app, "current"));
}

/** Written by scripts/make-plugin.ts, and into hooks/run. */
function copyName(root: string): string {
	const path = join(root, "package.json");
	const name: unknown = JSON.parse(readFileSync(path, "utf8"))?.config?.copy;
	if (typeof name !== "string" || !/^\d+\.\d+\.\d+-[0-9a-f]{12}$/.test(name))
		throw new Error(`${path} names no copy: ${root} is no plugin of ccg's`);
	return name;
}

const KEPT = 2;
const HOUR_MS = 3_600_000;

/** Copies beyond those that sessions of a while ago may use; who loses its copy goes on from the plugin's own folder. */
function staleCopies(app: string, name: string): string[] {
	const age = (path: string): number => Date.now() - statSync(path).mtimeMs;
	const all = readdirSync(app).map((one) => ({ one, path: join(app, one) }));
	const copies = all.filter(({ one }) => /^\d/.test(one) && one !== name).map(({ path }) => path);
	// of a process that was killed
	const begun = all.filter(({ one, path }) => one.startsWith(".new-") && age(path) > HOUR_MS).map(({ path }) => path);
	return [...copies.sort((a, b) => age(a) - age(b)).slice(KEPT), ...begun];
}
