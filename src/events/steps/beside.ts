import { existsSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { linkPlugin } from "../../install/plugin/plugin-folders.ts";
import { removeStaleTempFiles } from "../../store/atomic-write.ts";
import { writeText } from "../../store/gate.ts";
import { type Env, sessionPaths } from "../../store/paths.ts";
import type { Services, SessionInput } from "../run/event.ts";

/** Starts a program of ccg's beside this process: nobody waits for it, and it outlives the session. */
function startBeside(program: string, words: readonly string[], env: Env): void {
	if (!existsSync(program)) return;
	const stdio = { stdin: "ignore", stdout: "ignore", stderr: "ignore" } as const;
	Bun.spawn([program, ...words], { env, cwd: "/", ...stdio, detached: true }).unref();
}

/**
 * Has a checkpoint taken: the status line has no time for it, and what measures after a batch of calls would load everything that
 * reads a transcript.
 */
export const startCheckpoint = (
	{ root, env, launcher }: Pick<Services, "root" | "env" | "launcher">,
	sid: string,
): void => startBeside(launcher, ["checkpoint", "save", "--auto", "--session", sid], { ...env, CCG_HOME: root });

const DAY_MS = 86_400_000;

/**
 * What a session's start does for the store: removes what killed processes left in this session's folders, and once a day
 * lets `ccg gc` run. The first start only sets the clock: a new store has nothing to delete.
 */
export function maintainStore({ session_id: sid, source }: SessionInput, services: Services): void {
	const { root, config, now, launcher, env } = services;
	const { folder } = sessionPaths(root, sid);
	for (const place of [folder, join(folder, "checkpoints"), join(root, "run")]) removeStaleTempFiles(place, now);
	if (source !== "startup" || !config.retention.enabled) return;
	const stamp = join(root, "run", "gc-day");
	const last = statSync(stamp, { throwIfNoEntry: false })?.mtimeMs;
	if (last === undefined) return writeText(stamp, "", { sync: false });
	if (now.getTime() - last < DAY_MS) return;
	utimesSync(stamp, now, now);
	startBeside(launcher, ["gc", "--auto"], { ...env, CCG_HOME: root });
}

/** At the start of a new session, which has the newest version: a session of before an update does not go back. */
export function preparePlugin({ plugin }: Services): void {
	if (plugin && plugin.data !== plugin.root) linkPlugin(plugin);
}
