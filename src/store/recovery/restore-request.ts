import { existsSync } from "node:fs";
import { type RestoreRequest, type Target, targetName } from "../../core/checkpoint/checkpoint.ts";
import { exact, safeJson } from "../../core/redact/secrets.ts";
import { fromStore, inStore, jsonIn } from "../database.ts";
import { raiseFollowUp } from "../pressure/flags.ts";
import { type Store, sessionAt } from "../session-handle.ts";

/**
 * Saves a restore request; it replaces one that waits for the same target. A running session gets it with its next tool call or prompt: the
 * follow-up flag has a hook started then.
 */
export function requestRestore(store: Store, target: Target, request: RestoreRequest): void {
	const value = safeJson(request);
	const sql = "INSERT INTO restores VALUES(?1, ?2) ON CONFLICT(target) DO UPDATE SET value = ?2";
	inStore(store, (database) => database.query(sql).run(exact(targetName(target)), value));
	const session = "session" in target ? sessionAt(store, target.session) : null;
	if (session && !existsSync(session.paths.followUpMarker)) raiseFollowUp(session, request.key);
}

/** Takes the waiting request out of the store: of several callers at once, one gets it. A request older than `maxHours` is only removed. */
export function claimRestore(store: Store, target: Target, now: Date, maxHours: number): RestoreRequest | null {
	// most callers find none
	if (!waitingRestore(store, target)) return null;
	const request = inStore(store, (database) => {
		const request = waitingRestore(store, target);
		database.query("DELETE FROM restores WHERE target = ?").run(exact(targetName(target)));
		return request;
	});
	return request && now.getTime() - Date.parse(request.at) < maxHours * 3_600_000 ? request : null;
}

/** Removes requests from before `since` (ISO 8601) that nobody took. */
export const removeOldRestores = (store: Store, since: string): void =>
	void inStore(store, (database) =>
		database.query("DELETE FROM restores WHERE value ->> '$.at' < ?").run(exact(since)),
	);

/** The request that waits for a target; it stays in the store. `null` without one. */
export const waitingRestore = (store: Store, target: Target): RestoreRequest | null =>
	fromStore(store, (database) => jsonIn<RestoreRequest>(database, "restores WHERE target = ?", targetName(target)));
