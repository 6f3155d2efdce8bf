import type { SessionSnapshot } from "../../src/core/context/session-context.ts";
import { begin, type Cycle, endCycle, type Prepared } from "../../src/core/session/cycle.ts";
import {
	claimNudged,
	dropFlush,
	dropHalt,
	type FlushFlag,
	markerState as markerOf,
	raiseFlush,
} from "../../src/store/pressure/flags.ts";
import { type LoggedCheckpoint, storedCheckpoints } from "../../src/store/recovery/checkpoints.ts";
import { changeCycle, readCycle, readGlance } from "../../src/store/session/cycles.ts";
import { loadRecord } from "../../src/store/session/records.ts";
import type { Session } from "../../src/store/session-handle.ts";

/** What tests ask of a session's cycle and what they put into it. */
export const readPending = (session: Session): Prepared | null => readCycle(session).prepared ?? null;
export const readCommitted = (session: Session): Given | null => {
	const { began } = readCycle(session);
	if (!began) return null;
	const { key, at, trigger } = began;
	return { key, at, trigger };
};
type Given = Omit<Prepared, "place"> & Partial<Prepared>;
export const setPending = (session: Session, prepared: Given): void =>
	changeCycle(session, (cycle) => {
		cycle.prepared = { place: 0, ...prepared };
	});
export const setCommitted = (session: Session, prepared: Given): void =>
	changeCycle(session, (cycle) => void begin(cycle, { place: 0, ...prepared }));
export const commitPending = (session: Session, told?: number): void =>
	changeCycle(session, (cycle) => {
		const began = cycle.prepared && begin(cycle, cycle.prepared);
		if (began) began.toldAt = told ?? Date.now();
	});
export const change = (session: Session, values: Partial<Cycle>): void =>
	changeCycle(session, (cycle) => void Object.assign(cycle, values));
export const markerState = (session: Session): string => markerOf(session, readCycle(session).number);
export const dropMarker = (session: Session, flag: FlushFlag): void => raiseFlush(session, flag);
/** As the nudge does. */
export const claimMarker = (session: Session, { at, tokens }: { at: string; tokens: number }): void => {
	dropFlush(session);
	claimNudged(session, readGlance(session).number, { at, tokens, distance: null, trigger: null });
};
/** Oldest first. */
export const readCheckpointLog = (session: Session): LoggedCheckpoint[] =>
	storedCheckpoints(session, { sid: session.id }).reverse();
/** As a compaction does. */
export function endCycleOf(session: Session): void {
	changeCycle(session, endCycle);
	dropFlush(session);
	dropHalt(session);
}
export const cycleOf = (session: Session): string => readGlance(session).cycle;
/** What the session's last update knew. */
export const loadSnapshot = (session: Session, now: Date): SessionSnapshot => loadRecord(session, now).record;
