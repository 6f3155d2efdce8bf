import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { appOf, stableLauncher } from "../store/app-folder.ts";

/**
 * Absolute path of this installation's `bin/ccg`, as commands that outlive this process are to name it: of a copy in the store
 * the path through `current`. From source and from the bundle alike: looked for above the file that was started (in a
 * bytecode bundle `import.meta.dir` is the folder it was built in), then above this one.
 */
export function launcherPath(starts?: readonly string[]): string {
	const root = packageRoot(starts);
	const app = appOf(root);
	return app ? stableLauncher(app) : join(root, "bin", "ccg");
}

/** The folder that holds ccg's own files, as this process runs from it. */
export function packageRoot(starts: readonly string[] = [dirname(Bun.main), import.meta.dir]): string {
	for (const start of starts)
		for (let folder = start; folder !== dirname(folder); folder = dirname(folder))
			if (existsSync(join(folder, "bin", "ccg")) && existsSync(join(folder, "package.json"))) return folder;
	throw new Error(`bin/ccg not found above ${starts.join(" or ")}; reinstall ccg`);
}
