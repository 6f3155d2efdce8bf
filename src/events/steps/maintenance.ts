import { existsSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { writeText } from "../../store/gate.ts";
import { sessionPaths } from "../../store/paths.ts";
import { removeStaleTempFiles } from "../../store/stale-temp-files.ts";
import { attempt } from "../run/attempt.ts";
import type { Services, SessionInput } from "../run/event.ts";

const DAY_MS = 86_400_000;

/**
 * What a session's start does for the store: removes what killed processes left in this session's folders, and once a day
 * lets `ccg gc` run beside it. Costs a few looks into folders, and on that one start of a day a process begun and not
 * waited for.
 */
export function maintainStore({ session_id: sid, source }: SessionInput, services: Services): void {
	const { root, config, now, log } = services;
	const { folder, checkpoints } = sessionPaths(root, sid);
	for (const place of [folder, checkpoints, join(root, "run")]) removeStaleTempFiles(place, now);
	if (source === "startup" && config.retention.enabled) attempt(log, () => collectDaily(services));
}

/** The first start only sets the clock: a new store has nothing to delete. */
function collectDaily({ root, now, launcher, env }: Services): void {
	const stamp = join(root, "run", "gc-day");
	const last = statSync(stamp, { throwIfNoEntry: false })?.mtimeMs;
	if (last === undefined) return writeText(stamp, "", { sync: false });
	if (now.getTime() - last < DAY_MS) return;
	utimesSync(stamp, now, now);
	if (!existsSync(launcher)) return;
	Bun.spawn([launcher, "gc", "--auto"], {
		env: { ...env, CCG_HOME: root },
		cwd: "/",
		stdin: "ignore",
		stdout: "ignore",
		stderr: "ignore",
		detached: true,
	}).unref();
}
