import { existsSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { withLock } from "../kernel-lock.ts";
import { markersOf, type Session } from "../session-handle.ts";

/**
 * Removes everything the store keeps of a session: its folder goes out of the way by one rename first, so that nobody meets half
 * of it. Gives whether there was anything. Throws `ELOCKED` while a hook writes it, and what the file system says.
 */
export function deleteSession(session: Session, { waitMs = 2_000 }: { waitMs?: number } = {}): boolean {
	const { root, id, paths } = session;
	const isThere = existsSync(paths.folder);
	withLock(paths.contextLock, () => remove(session, join(root, "sessions", `.gc-${id}-${process.pid}`)), {
		waitMs,
		removing: true,
	});
	return isThere;
}

function remove(session: Session, going: string): void {
	if (existsSync(session.paths.folder)) renameSync(session.paths.folder, going);
	for (const path of markersOf(session)) rmSync(path, { force: true });
	rmSync(going, { recursive: true, force: true });
}
