import type { Env } from "../../store/paths.ts";

/**
 * Shows a text in `$PAGER`, else in `less`, which ends by itself when all fits the screen and keeps colours. `false` when
 * there is no pager that works: the caller prints the text then. An empty `PAGER`, or `cat`, asks for none.
 */
export function pageThrough(text: string, env: Env): boolean {
	const pager = env.PAGER ?? "less -R";
	if (pager.trim() === "" || pager.trim() === "cat" || env.TERM === "dumb") return false;
	try {
		// the shell reads it, as it does for git and man: PAGER may hold arguments
		// Bun, not execa: nothing else goes on meanwhile, and nothing is loaded for a text that is ready
		const { exitCode } = Bun.spawnSync(["/bin/sh", "-c", pager], {
			env: { LESS: "FRX", ...env },
			stdin: Buffer.from(text),
			stdout: "inherit",
			stderr: "inherit",
		});
		return exitCode !== 126 && exitCode !== 127;
	} catch {
		return false;
	}
}
