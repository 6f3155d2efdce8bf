import { accessSync, constants, realpathSync, statSync } from "node:fs";
import { isAbsolute, join } from "node:path";

/** Whether what a shell would start under a name is this program. */
export const isOnPath = (name: string, program: string, path: string): boolean =>
	real(found(name, path)) === (real(program) ?? program);

function found(name: string, path: string): string | null {
	for (const folder of path.split(":")) {
		// a relative part means another folder tomorrow
		if (!isAbsolute(folder)) continue;
		const candidate = join(folder, name);
		try {
			accessSync(candidate, constants.X_OK);
			if (statSync(candidate).isFile()) return candidate;
		} catch {
			// the next one
		}
	}
	return null;
}

function real(path: string | null): string | null {
	try {
		return path && realpathSync(path);
	} catch {
		return null;
	}
}
