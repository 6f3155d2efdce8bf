import { existsSync } from "node:fs";
import { type RestoreRequest, type Target, targetName } from "../../core/checkpoint/checkpoint.ts";
import { exact, safeJson } from "../../core/redact/secrets.ts";
import { readJsonValue, writeToStore } from "../database.ts";
import { raiseFollowUpFlag } from "../pressure/flags.ts";
import { type Store, sessionHandle } from "../session-handle.ts";

/** Saves a target's restore request in place of its last one. A running session gets the follow-up flag: its next call or prompt claims it. */
export function requestRestore(store: Store, target: Target, request: RestoreRequest): void {
	const value = safeJson(request);
	const sql = "INSERT INTO restores VALUES(?1, ?2) ON CONFLICT(target) DO UPDATE SET value = ?2";
	writeToStore(store, (database) => database.query(sql).run(exact(targetName(target)), value));
	const session = "session" in target ? sessionHandle(store, target.session) : null;
	if (session && !existsSync(session.paths.followUpFlag)) raiseFollowUpFlag(session, request.key);
}

/** Takes a target's request out of the store: of several callers at once, one gets it. A request older than `maxHours` is only removed. */
export function claimRestore(store: Store, target: Target, now: Date, maxHours: number): RestoreRequest | null {
	// most callers find none, and need no transaction
	if (!readRestoreRequest(store, target)) return null;
	const request = writeToStore(store, (database) => {
		const request = readRestoreRequest(store, target);
		database.query("DELETE FROM restores WHERE target = ?").run(exact(targetName(target)));
		return request;
	});
	return request && now.getTime() - Date.parse(request.at) < maxHours * 3_600_000 ? request : null;
}

/** Removes requests from before `since` (ISO 8601) that were never claimed. */
export const removeOldRestores = (store: Store, since: string): void =>
	void writeToStore(store, (database) =>
		database.query("DELETE FROM restores WHERE value ->> '$.at' < ?").run(exact(since)),
	);

/** The restore request that waits for a target, and stays in the store; `null` without one. */
export const readRestoreRequest = (store: Store, target: Target): RestoreRequest | null =>
	readJsonValue(store, "restores WHERE target = ?", targetName(target));
