import { existsSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { readJson } from "../../files/json-file.ts";
import { startDetached } from "../../files/on-path.ts";
import { writeText } from "../../store/gate.ts";
import { type Env, syncPath } from "../../store/paths.ts";
import type { Session } from "../../store/session-handle.ts";
import type { Hook } from "../run/event.ts";

const SYNC_MS = 60_000;

/** Starts an exchange of notes with other machines, where this store shares a space; `oncePerMinute`: if no session did so lately. */
export function startSync(hook: Pick<Hook, "root" | "env" | "launcher" | "now">, { oncePerMinute = false } = {}): void {
	if (!existsSync(syncPath(hook.root))) return;
	if (!claimIfDue(hook, "sync-minute", SYNC_MS) && oncePerMinute) return;
	// nothing else of the session's environment: a repository may have set it
	const { SSH_AUTH_SOCK } = hook.env;
	const { around: savedEnv } = readJson<{ around: Env }>(syncPath(hook.root)) ?? {};
	startDetached(hook.launcher, ["sync", "now", "--auto"], { ...savedEnv, SSH_AUTH_SOCK });
}

/**
 * Whether `intervalMs` have passed since `name` was last claimed; if so, claims it: keeps the time in a file that all sessions share.
 * `isDueAtFirst`: the answer where it was never claimed.
 */
export function claimIfDue(
	{ root, now }: Pick<Hook, "root" | "now">,
	name: string,
	intervalMs: number,
	{ isDueAtFirst = true } = {},
): boolean {
	const stamp = join(root, "run", name);
	const last = statSync(stamp, { throwIfNoEntry: false })?.mtimeMs;
	if (last === undefined) writeText(stamp, "", { sync: false });
	else if (now.getTime() - last < intervalMs) return false;
	else utimesSync(stamp, now, now);
	return last !== undefined || isDueAtFirst;
}

/** Saves a checkpoint in the background, as much of the context is in use: a status line has no time for it. */
export const startHighUseSave = (hook: Pick<Hook, "env" | "launcher">, { id }: Session): void =>
	startDetached(hook.launcher, ["checkpoint", "save", "--auto", "--session", id], hook.env);
