import { dropHalt, haltedSessions } from "../pressure/flags.ts";
import type { Session, Store } from "../session-handle.ts";
import { changeCycle } from "./cycles.ts";
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

/** A person lifts the stop, until the next compaction. */
export function resumeWork(session: Session): void {
	changeCycle(
		session,
		(cycle) => {
			cycle.resumed = true;
		},
		2_000,
	);
	dropHalt(session);
}

/** The sessions of a folder's project at which a stop stands. */
export const haltedIn = (store: Store, folder: string): string[] =>
	haltedSessions(store).filter(inProjectOf(store, folder));
