import { accessSync, constants, statSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { tryOrUndefined } from "./quietly.ts";
import { realPath } from "./real-path.ts";

/** Whether a shell with this PATH would start `program` for the command `name`. */
export function isOnPath(name: string, program: string, path: string): boolean {
	const [first] = programsOnPath(name, path);
	return first !== undefined && realPath(first) === realPath(program);
}

/** Finds a program in each folder of a PATH, in order: a shell starts the first. Relative folders are skipped: they change with `cd`. */
export function* programsOnPath(name: string, path: string): Generator<string> {
	for (const folder of path.split(":")) {
		const candidate = join(folder, name);
		if (isAbsolute(folder) && isExecutable(candidate)) yield candidate;
	}
}

/** Whether a path leads to a file that this user may start. */
export const isExecutable = (path: string): boolean =>
	tryOrUndefined(() => {
		accessSync(path, constants.X_OK);
		return statSync(path).isFile();
	}) ?? false;
