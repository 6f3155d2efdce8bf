import { existsSync } from "node:fs";
import { exact, safeJson } from "../../core/redact/secrets.ts";
import { fromStore, inStore, valueIn } from "../database.ts";
import { raiseFollowUp } from "../pressure/flags.ts";
import type { Session, Store } from "../session-handle.ts";

/** A checkpoint that the user wants back, with the text for the model, made when it was asked for. */
export interface RestoreRequest {
	key: string;
	/** Whose checkpoint it is. */
	session: string;
	/** ISO 8601. */
	at: string;
	text: string;
	/** What stood in the workspace then: what has changed since is told with the text. */
	folder: string;
	branch: string;
	commit: string;
}

/** Who is to get it: a session that runs, or the next one of a project (`Project.key`). */
export type Target = { session: string } | { project: string };

const nameOf = (target: Target): string =>
	"session" in target ? `session ${target.session}` : `project ${target.project}`;

/** How old a request may be: one that is older reaches nobody. */
export interface AgeLimit {
	now: Date;
	maxHours: number;
}

/** For the running session: its next tool call or prompt gets it, which the flag starts a hook for. A later request takes the place of one that waits. */
export function requestRestore(session: Session, request: RestoreRequest): void {
	put(session, { session: session.id }, request);
	if (!existsSync(session.paths.followUpMarker)) raiseFollowUp(session, request.key);
}

/** For the next session of the project: `project` is its key. */
export const requestRestoreNext = (store: Store, project: string, request: RestoreRequest): void =>
	put(store, { project }, request);

function put(store: Store, target: Target, request: RestoreRequest): void {
	const value = safeJson(request);
	inStore(store, (database) =>
		database
			.query("INSERT INTO restores VALUES(?1, ?2) ON CONFLICT(target) DO UPDATE SET value = ?2")
			.run(exact(nameOf(target)), value),
	);
}

/** Takes a request: of all that ask at once one gets it. One that is too old is removed; without a limit any age will do. */
export function claimRestore(store: Store, target: Target, limit: AgeLimit | null): RestoreRequest | null {
	// most of those that ask find none
	if (!waitingRestore(store, target, null)) return null;
	return inStore(store, (database) => {
		const request = waitingRestore(store, target, limit);
		database.query("DELETE FROM restores WHERE target = ?").run(exact(nameOf(target)));
		return request;
	});
}

/** The request that waits, left where it is. */
export function waitingRestore(store: Store, target: Target, limit: AgeLimit | null): RestoreRequest | null {
	const request = fromStore(store, (database) =>
		valueIn<RestoreRequest>(database, "restores WHERE target = ?", nameOf(target)),
	);
	const isInTime = (at: string): boolean =>
		limit === null || limit.now.getTime() - Date.parse(at) < limit.maxHours * 3_600_000;
	return request && isInTime(request.at) ? request : null;
}
