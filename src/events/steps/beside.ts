import { existsSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { readJson } from "../../files/json-file.ts";
import { writeText } from "../../store/gate.ts";
import { type Env, syncPath } from "../../store/paths.ts";
import type { Session } from "../../store/session-handle.ts";
import type { Hook } from "../run/event.ts";

/** Starts ccg beside this process: nobody waits for it, and it outlives the session. `stdin`: what a hook reads there. */
export function startBeside({ env, launcher }: Pick<Hook, "env" | "launcher">, words: string[], stdin?: object): void {
	if (!existsSync(launcher)) return;
	const input = stdin ? Buffer.from(JSON.stringify(stdin)) : "ignore";
	const stdio = { stdin: input, stdout: "ignore", stderr: "ignore" } as const;
	Bun.spawn([launcher, ...words], { env, cwd: "/", ...stdio, detached: true }).unref();
}

const SYNC_MS = 60_000;

/** Exchanges notes with other machines where this store shares a space; with `isSeldom` once a minute, whichever session it is. */
export function startSync(hook: Pick<Hook, "root" | "env" | "launcher" | "now">, isSeldom = false): void {
	if (!existsSync(syncPath(hook.root))) return;
	if (!isDue(hook, "sync-minute", SYNC_MS) && isSeldom) return;
	// of the session's environment nothing else: a repository may have set it
	const { SSH_AUTH_SOCK } = hook.env;
	const { around } = readJson<{ around: Env }>(syncPath(hook.root)) ?? {};
	startBeside({ launcher: hook.launcher, env: { ...around, SSH_AUTH_SOCK } }, ["sync", "now", "--auto"]);
}

/** Whether so much time has passed since this was last so, and that it is so now. `atFirst`: in a store that never kept it. */
export function isDue(
	{ root, now }: Pick<Hook, "root" | "now">,
	name: string,
	everyMs: number,
	atFirst = true,
): boolean {
	const stamp = join(root, "run", name);
	const last = statSync(stamp, { throwIfNoEntry: false })?.mtimeMs;
	if (last === undefined) writeText(stamp, "", { sync: false });
	else if (now.getTime() - last < everyMs) return false;
	else utimesSync(stamp, now, now);
	return last !== undefined || atFirst;
}

/** Takes the checkpoint of high use beside this process: what measures has no time for it. */
export const saveBeside = (from: Pick<Hook, "env" | "launcher">, { id }: Session): void =>
	startBeside(from, ["checkpoint", "save", "--auto", "--session", id]);
