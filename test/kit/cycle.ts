import type { LoggedCheckpoint } from "../../src/core/checkpoint/checkpoint.ts";
import type { SessionSnapshot } from "../../src/core/context/session-context.ts";
import { beginCycle, type Cycle, endCycle, type Prepared } from "../../src/core/session/cycle.ts";
import type { UsageRecord } from "../../src/core/session/status.ts";
import {
	dropFlushFlag,
	readNudgeState as markerOf,
	markNudged,
	raiseFlushFlag,
	writeLastUsage,
} from "../../src/store/pressure/flags.ts";
import { listStoredCheckpoints } from "../../src/store/recovery/checkpoints.ts";
import { changeCycle, readCycle, readKnownCycle } from "../../src/store/session/cycles.ts";
import { readRecordOrEmpty } from "../../src/store/session/records.ts";
import type { Session } from "../../src/store/session-handle.ts";
import { usage } from "./usage.ts";

/** What tests ask of a session's cycle and what they put into it. */
export const readPending = (session: Session): Prepared | null => readCycle(session).prepared ?? null;
type Given = Omit<Prepared, "place"> & Partial<Prepared>;
export const setCommitted = (session: Session, prepared: Given): void =>
	changeCycle(session, (cycle) => void beginCycle(cycle, { place: 0, ...prepared }));
export const change = (session: Session, values: Partial<Cycle>): void =>
	changeCycle(session, (cycle) => void Object.assign(cycle, values));
export const markerState = (session: Session): string => markerOf(session);
/** As a measurement does that finds the trigger near. */
export function dropMarker(session: Session, measured: Partial<UsageRecord> = {}): void {
	const last = usage({ at: new Date().toISOString(), ...measured });
	writeLastUsage(session, last);
	raiseFlushFlag(session, last.at);
}
/** As the nudge does. */
export function claimMarker(session: Session, tokens: number): void {
	markNudged(session, new Date().toISOString(), { tokens, number: readKnownCycle(session).number });
	dropFlushFlag(session);
}
/** Oldest first. */
export const readCheckpointLog = (session: Session): LoggedCheckpoint[] =>
	listStoredCheckpoints(session, { sid: session.id }).reverse();
/** As a compaction does. */
export const endCycleOf = (session: Session): void => changeCycle(session, endCycle);
/** What the session's last update knew. */
export const loadSnapshot = (session: Session, now: Date): SessionSnapshot => readRecordOrEmpty(session, now).record;
