import type { Env } from "../store/paths.ts";

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
