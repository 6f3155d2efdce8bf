import { existsSync } from "node:fs";
import { join } from "node:path";
import { isListed, isPrepared } from "../../install/plugin/plugin-folders.ts";
import type { Services } from "../run/event.ts";

type Upkeep = Pick<Services, "plugin" | "launcher" | "env">;

/** Beside a session's start: the copy that starts faster, and the link that the status line names, where they are not of this version. */
export function preparePluginCopy({ plugin, env }: Upkeep): void {
	if (!plugin || isPrepared(plugin) || !isListed(plugin)) return;
	beside([join(plugin.root, "bin", "ccg"), "setup", "--prepare", plugin.data], env);
}

/**
 * A session that outlived its plugin takes out the status line that `ccg setup` put into the settings: what it names went with the
 * plugin's data.
 */
export function undoWhenGone({ plugin, launcher, env }: Upkeep): void {
	if (plugin && !isListed(plugin)) beside([launcher, "setup", "--undo-gone"], env);
}

/** Nobody waits for it, and it outlives the session. */
function beside([program, ...words]: [string, ...string[]], env: Upkeep["env"]): void {
	if (!existsSync(program)) return;
	Bun.spawn([program, ...words], {
		env,
		cwd: "/",
		stdin: "ignore",
		stdout: "ignore",
		stderr: "ignore",
		detached: true,
	}).unref();
}
