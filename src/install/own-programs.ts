import { basename, dirname, join } from "node:path";
import { programsOnPath } from "../files/on-path.ts";
import { realPath } from "../files/real-path.ts";
import { gitTop } from "../git/git-top.ts";
import type { Env } from "../store/paths.ts";

/** The first program of a name on PATH that does not lie in the folder this runs in, which may be anybody's. */
export function ownProgram(name: string, env: Env, cwd: string): string | null {
	const workspaces = workspacesOf(env, cwd);
	for (const path of programsOnPath(name, env.PATH ?? "")) if (!isWithin(path, workspaces)) return path;
	return null;
}

/** The folders that may be anybody's, links resolved. A home folder is none, nor is what it lies in. */
export function workspacesOf(env: Env, cwd: string): string[] {
	const home = env.HOME ? `${realPath(env.HOME)}/` : "/";
	return [cwd, env.CLAUDE_PROJECT_DIR ?? cwd]
		.flatMap((folder) => [folder, gitTop(folder) ?? folder])
		.map((folder) => `${realPath(folder).replace(/\/$/, "")}/`)
		.filter((folder) => !home.startsWith(folder));
}

/** By the name it is called by, and by where a link leads. */
export function isWithin(path: string, workspaces: readonly string[]): boolean {
	const names = [join(realPath(dirname(path)), basename(path)), realPath(path)];
	return workspaces.some((folder) => names.some((name) => name.startsWith(folder)));
}
