import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

/**
 * Absolute path of this installation's `bin/ccg`, from source and from the bundle alike. Looked for above the file that was
 * started (in a bytecode bundle `import.meta.dir` is the folder it was built in), then above this one.
 */
export function launcherPath(starts: readonly string[] = [dirname(Bun.main), import.meta.dir]): string {
	for (const start of starts)
		for (let folder = start; folder !== dirname(folder); folder = dirname(folder)) {
			const candidate = join(folder, "bin", "ccg");
			if (existsSync(candidate) && existsSync(join(folder, "package.json"))) return candidate;
		}
	throw new Error(`bin/ccg not found above ${starts.join(" or ")}; reinstall ccg`);
}
