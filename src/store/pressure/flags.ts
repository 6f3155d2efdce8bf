import { existsSync, rmSync, unlinkSync } from "node:fs";
import type { UsageRecord } from "../../core/session/status.ts";
import { readText } from "../../files/json-file.ts";
import { tryOrUndefined } from "../../files/quietly.ts";
import { errorCode } from "../../files/system-failure.ts";
import { writeJson, writeText } from "../gate.ts";
import type { Session } from "../session-handle.ts";

/** Such a file holds a few numbers; a larger one is damaged. */
const MAX_BYTES = 16 * 1024;

/** Reads the JSON of a flag or a measurement, with its time `at`; `null` where the file is missing or damaged. */
function readTimedJson<T extends { at: string }>(path: string): T | null {
	const value = tryOrUndefined(() => JSON.parse(readText(path, MAX_BYTES) ?? "null"));
	return typeof value?.at === "string" && !Number.isNaN(Date.parse(value.at)) ? value : null;
}

/** Writes a flag's file unless it is there. `at` (ISO 8601): its time. Not fsynced: the next measurement raises it again. */
const raiseFlag = (path: string, at: string): void =>
	void (existsSync(path) || writeJson(path, {}, { unredacted: { at }, sync: false }));

/** Raises the flush flag: a compaction is near, and the model is to be nudged at its next tool call. */
export const raiseFlushFlag = ({ paths }: Session, at: string): void => raiseFlag(paths.flushFlag, at);
/** Raises the halt flag: the pressure is critical, and the halt gate must check tool calls. */
export const raiseHaltFlag = ({ paths }: Session, at: string): void => raiseFlag(paths.haltFlag, at);

/** When the flush flag was raised (ISO 8601); `null` where it is down or damaged. */
export const readFlushTime = ({ paths }: Session): string | null => readTimedJson(paths.flushFlag)?.at ?? null;
/** When the halt flag was raised (ISO 8601); `null` where it is down or damaged. */
export const readHaltTime = ({ paths }: Session): string | null => readTimedJson(paths.haltFlag)?.at ?? null;

/** Removes a flag's file. Never throws. */
const dropFlag = (path: string): void => tryOrUndefined(() => rmSync(path, { force: true }));

export const dropHaltFlag = ({ paths }: Session): void => dropFlag(paths.haltFlag);
export const dropFlushFlag = ({ paths }: Session): void => dropFlag(paths.flushFlag);
/** Removes the mark of a nudge, where there is one. */
export const dropNudged = ({ paths }: Session): void => void (existsSync(paths.nudged) && dropFlag(paths.nudged));
/** Drops what stands for one cycle, when that has ended. */
export const dropCycleFlags = ({ paths }: Session): void =>
	[paths.flushFlag, paths.haltFlag, paths.nudged].forEach(dropFlag);

/** A nudge: the number of its cycle, and the tokens then. */
type Nudged = { number?: number | undefined; tokens?: number | null };

/** Marks the session as nudged, until its cycle ends. Of several callers at once, one gets `true`. `at`: ISO 8601. */
export function markNudged({ paths }: Session, at: string, nudged: Nudged): boolean {
	try {
		writeJson(paths.nudged, nudged, { unredacted: { at }, sync: false, exclusive: true });
		return true;
	} catch (error) {
		if (errorCode(error) === "EEXIST") return false;
		throw error;
	}
}

/** The nudge that stands; `null` where there is none. */
export const readNudged = ({ paths }: Session): Nudged | null => readTimedJson<Nudged & { at: string }>(paths.nudged);

/** Raises the follow-up flag, for which the next tool call or prompt starts a hook. `key`: the checkpoint that it tells the model of. */
export const raiseFollowUpFlag = ({ paths }: Session, key: string): void =>
	writeText(paths.followUpFlag, [key, "\n"], { sync: false });

/** Raises the follow-up flag for a recovery block that was not printed; `bin/ccg` does so where it finds no Bun (`note_missed`). */
export const raiseMissedFlag = (session: Session): void => raiseFollowUpFlag(session, MISSED);
export const MISSED = "missed";

/** The checkpoint's key in the follow-up flag, or `MISSED`; `null` where the flag is down. */
export const readFollowUpKey = ({ paths }: Session): string | null =>
	readText(paths.followUpFlag, MAX_BYTES)?.trimEnd() ?? null;

/** Drops the follow-up flag. Gives whether it was up: of several callers at once, one gets `true`. */
export function dropFollowUpFlag({ paths }: Session): boolean {
	try {
		unlinkSync(paths.followUpFlag);
		return true;
	} catch (error) {
		if (errorCode(error) === "ENOENT") return false;
		throw error;
	}
}

/** Where a cycle's nudge stands: `nudged`: given to the model; `marker`: it waits for the next tool call (flush flag); `none`. */
export const readNudgeState = ({ paths }: Session) =>
	existsSync(paths.nudged) ? "nudged" : existsSync(paths.flushFlag) ? "marker" : "none";

/** The last measurement of a session; `null` where there is none. */
export const readLastUsage = ({ paths }: Session): UsageRecord | null => readTimedJson(paths.pressure);

/** Writes a measurement of a session in the place of the last one; its texts are paths, times and keys, and stay exact. */
export function writeLastUsage({ paths }: Session, record: UsageRecord): void {
	const { at, why, cwd, transcriptPath } = record;
	writeJson(paths.pressure, record, { unredacted: { at, why, cwd, transcriptPath }, sync: false });
}
