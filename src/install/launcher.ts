import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

/** Absolute path of this installation's `bin/ccg`, from source and from the bundle alike. */
export function launcherPath(from: string = import.meta.dir): string {
	for (let folder = from; folder !== dirname(folder); folder = dirname(folder)) {
		const candidate = join(folder, "bin", "ccg");
		if (existsSync(candidate) && existsSync(join(folder, "package.json"))) return candidate;
	}
	throw new Error(`bin/ccg not found above ${from}; reinstall ccg`);
}
