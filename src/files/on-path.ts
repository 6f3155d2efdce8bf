import { accessSync, constants, statSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { quietly } from "./quietly.ts";
import { realPath } from "./real-path.ts";

/** Whether what a shell would start under a name is this program. */
export function isOnPath(name: string, program: string, path: string): boolean {
	const [found] = programsOnPath(name, path);
	return found !== undefined && realPath(found) === realPath(program);
}

/** The programs of a name in the folders of a PATH, in their order: a shell starts the first. A relative folder is another one tomorrow. */
export function* programsOnPath(name: string, path: string): Generator<string> {
	for (const folder of path.split(":")) {
		const candidate = join(folder, name);
		if (isAbsolute(folder) && isProgram(candidate)) yield candidate;
	}
}

export const isProgram = (path: string): boolean =>
	quietly(() => {
		accessSync(path, constants.X_OK);
		return statSync(path).isFile();
	}) ?? false;
