import { accessSync, constants, existsSync, statSync } from "node:fs";
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

/** Starts a program in the background: nobody waits for it, and it outlives this one. `stdin`: its input, as JSON; none without. */
export function startDetached(launcher: string, args: string[], env: NodeJS.ProcessEnv, stdin?: object): void {
	if (!existsSync(launcher)) return;
	const input = stdin ? Buffer.from(JSON.stringify(stdin)) : "ignore";
	const stdio = { stdin: input, stdout: "ignore", stderr: "ignore" } as const;
	Bun.spawn([launcher, ...args], { env, cwd: "/", ...stdio, detached: true }).unref();
}

/** Whether a path leads to a file that this user may start. */
export const isExecutable = (path: string): boolean =>
	tryOrUndefined(() => {
		accessSync(path, constants.X_OK);
		return statSync(path).isFile();
	}) ?? false;
