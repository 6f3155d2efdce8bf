import { statSync } from "node:fs";
import {
	checkpointPath,
	latestKey,
	loadCheckpoint,
	readablePath,
	writeReadable,
} from "../../store/recovery/checkpoints.ts";
import { type Session, sessionAt } from "../../store/session-handle.ts";
import type { Services } from "../run/event.ts";

/** PreCompact, which runs beside this, takes less as a rule: nobody waits for what is done here. */
const LIMIT_MS = 1_000;
const STEP_MS = 20;

/**
 * Writes the readable form of the checkpoint that PreCompact saves meanwhile; waits a second at most for it. Where none comes,
 * or this process is killed, SessionStart writes it when it names it.
 */
export function writeLatestReadable(sid: string, services: Services): void {
	const session = sessionAt(services, sid);
	const key = unreadableKey(session);
	const checkpoint = key && loadCheckpoint(session, key);
	if (checkpoint) writeReadable(session, checkpoint);
}

/** PreCompact, started together with this, may have been faster. */
const TOGETHER_MS = 10_000;

/** An older one is of a compaction that did not take place. */
function isOfNow(session: Session, key: string): boolean {
	const stat = statSync(readablePath(session, key), { throwIfNoEntry: false });
	return stat !== undefined && stat.mtimeMs > performance.timeOrigin - TOGETHER_MS;
}

/** The latest checkpoint, as soon as it is one that has no readable form. */
function unreadableKey(session: Session): string | null {
	const end = performance.now() + LIMIT_MS;
	for (;;) {
		const key = latestKey(session);
		if (key && isOfNow(session, key) && readablePath(session, key) !== checkpointPath(session, key)) return key;
		if (performance.now() >= end) return null;
		Bun.sleepSync(STEP_MS);
	}
}
