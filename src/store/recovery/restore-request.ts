import { existsSync } from "node:fs";
import { type RestoreRequest, type Target, targetName } from "../../core/checkpoint/checkpoint.ts";
import { exact, safeJson } from "../../core/redact/secrets.ts";
import { fromStore, inStore, jsonIn } from "../database.ts";
import { raiseFollowUp } from "../pressure/flags.ts";
import { type Store, sessionAt } from "../session-handle.ts";

/**
 * Keeps a request in the place of one that waits. A running session gets it with its next tool call or prompt, which the flag starts a
 * hook for.
 */
export function requestRestore(store: Store, target: Target, request: RestoreRequest): void {
	const value = safeJson(request);
	const sql = "INSERT INTO restores VALUES(?1, ?2) ON CONFLICT(target) DO UPDATE SET value = ?2";
	inStore(store, (database) => database.query(sql).run(exact(targetName(target)), value));
	const session = "session" in target ? sessionAt(store, target.session) : null;
	if (session && !existsSync(session.paths.followUpMarker)) raiseFollowUp(session, request.key);
}

/** Takes a request: of all that ask at once one gets it. One that is older than so many hours is removed. */
export function claimRestore(store: Store, target: Target, now: Date, maxHours: number): RestoreRequest | null {
	// most of those that ask find none
	if (!waitingRestore(store, target)) return null;
	const request = inStore(store, (database) => {
		const request = waitingRestore(store, target);
		database.query("DELETE FROM restores WHERE target = ?").run(exact(targetName(target)));
		return request;
	});
	return request && now.getTime() - Date.parse(request.at) < maxHours * 3_600_000 ? request : null;
}

/** Removes requests that nobody took since a moment (ISO 8601). */
export const removeOldRestores = (store: Store, since: string): void =>
	void inStore(store, (database) =>
		database.query("DELETE FROM restores WHERE value ->> '$.at' < ?").run(exact(since)),
	);

/** The request that waits, left where it is. */
export const waitingRestore = (store: Store, target: Target): RestoreRequest | null =>
	fromStore(store, (database) => jsonIn<RestoreRequest>(database, "restores WHERE target = ?", targetName(target)));
