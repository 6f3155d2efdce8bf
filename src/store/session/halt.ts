import { type Cycle, isResumed } from "../../core/session/cycle.ts";
import { dropHalt, haltedSessions } from "../pressure/flags.ts";
import type { Session, Store } from "../session-handle.ts";
import { changeCycle, readCycle } from "./cycles.ts";
import { inProjectOf } from "./place.ts";

/** After a task checkpoint: the next change may pass. */
export const grantPass = (session: Session, now: Date): void =>
	changeCycle(
		session,
		(cycle) => {
			cycle.passAt = now.toISOString();
		},
		2_000,
	);

/** A person lifts the stop: until the next compaction, or until the given time when that comes first. */
export function resumeWork(session: Session, now: Date, until: Date | null): void {
	changeCycle(
		session,
		(cycle) => {
			cycle.resumed = { at: now.toISOString(), until: until?.toISOString() ?? null };
		},
		2_000,
	);
	dropHalt(session);
}
/** Whether a user override stands; `until` is `null` where it holds to the next compaction. */
export function resumedUntil(session: Session, now: Date): { until: string | null } | null {
	const cycle: Cycle = readCycle(session);
	return isResumed(cycle, now) ? { until: cycle.resumed!.until } : null;
}

/** The sessions of a folder's project at which a stop stands, and all others. */
export function haltedAt(store: Store, folder: string): { here: string[]; elsewhere: string[] } {
	const isHere = inProjectOf(store, folder);
	const all = haltedSessions(store);
	return { here: all.filter(isHere), elsewhere: all.filter((sid) => !isHere(sid)) };
}
