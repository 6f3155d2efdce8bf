import { existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { readLinkTarget } from "../files/quietly.ts";
import { appFolder, currentLinkPath, stableLauncherPath } from "../store/app-folder.ts";
import { type Env, storeRoot } from "../store/paths.ts";

/** The absolute path of `bin/ccg` for commands that outlive this process: through the link `current` where a copy in a store runs. */
export function launcherPath(starts?: readonly string[], store = storeRoot(process.env)): string {
	const root = packageRoot(starts);
	return store && isStoreCopy(root) ? stableLauncherPath(appFolder(store)) : join(root, "bin", "ccg");
}

/** The folder of ccg's own files: the nearest one above the started file, this file or the running program that has them. */
export function packageRoot(starts: readonly string[] = [Bun.main, import.meta.dir, process.execPath]): string {
	for (const start of starts)
		for (let folder = start; folder !== dirname(folder); folder = dirname(folder))
			if (existsSync(join(folder, "bin", "ccg")) && existsSync(join(folder, "package.json"))) return folder;
	throw new Error(`no bin/ccg above ${starts}; reinstall ccg`);
}

/**
 * Goes back to the folder `ccg` was called in: the launcher starts Bun in ccg's own, where nothing can reach into it, and
 * names the real one in `CCG_CWD`, which it always sets itself. Gives what is wrong when there is no way back.
 */
export function enterFolder(env: Env): string | null {
	const folder = env.CCG_CWD;
	delete env.CCG_CWD;
	if (folder === undefined) return null;
	if (folder === "") return "the current folder is gone; change to another one";
	try {
		process.chdir(folder);
		return null;
	} catch (error) {
		const reason = error instanceof Error ? error.message : String(error);
		return `the current folder can't be entered (${reason}); change to another one`;
	}
}

/** Whether a folder is a copy of ccg in a store: below `app`, beside the link to the copy in use. */
function isStoreCopy(folder: string): boolean {
	const app = dirname(folder);
	return basename(app) === "app" && readLinkTarget(currentLinkPath(app)) !== undefined;
}
