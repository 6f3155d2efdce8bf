import { existsSync } from "node:fs";
import type { Env } from "../../store/paths.ts";

/**
 * Has a checkpoint taken beside this process, which is not waited for: the status line has no time for it, and what measures after
 * a batch of calls would load everything that reads a transcript.
 */
export function startCheckpoint(
	{ root, env, launcher }: { root: string; env: Env; launcher: string },
	sid: string,
): void {
	if (!existsSync(launcher)) return;
	Bun.spawn([launcher, "checkpoint", "save", "--auto", "--session", sid], {
		env: { ...env, CCG_HOME: root },
		cwd: "/",
		stdin: "ignore",
		stdout: "ignore",
		stderr: "ignore",
		detached: true,
	}).unref();
}
