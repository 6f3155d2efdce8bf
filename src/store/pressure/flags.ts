import { existsSync, rmSync, unlinkSync } from "node:fs";
import type { UsageRecord } from "../../core/session/status.ts";
import { readText } from "../../files/json-file.ts";
import { quietly } from "../../files/quietly.ts";
import { errorCode } from "../../files/system-failure.ts";
import { writeJson, writeText } from "../gate.ts";
import type { Session } from "../session-handle.ts";

/** Such a file holds a few numbers; a larger one is damaged. */
const MAX_BYTES = 16 * 1024;

/** Reads a flag or a measurement with its time; `null` where the file is missing or damaged: the next write replaces it. */
function readMoment<T extends { at: string }>(path: string): T | null {
	const value = quietly(() => JSON.parse(readText(path, MAX_BYTES) ?? "null"));
	return typeof value?.at === "string" && !Number.isNaN(Date.parse(value.at)) ? value : null;
}

/** Writes a flag's file unless it is there. Not fsynced: the next measurement raises it again. `at`: ISO 8601. */
const raise = (path: string, at: string): void =>
	void (existsSync(path) || writeJson(path, {}, { exact: { at }, sync: false }));

/** Raises the flush flag, which holds its time alone; how full the context is, the last measurement says. */
export const raiseFlush = ({ paths }: Session, at: string): void => raise(paths.marker, at);
export const raiseHalt = ({ paths }: Session, at: string): void => raise(paths.haltMarker, at);

/** The time at which the flag was raised; `null` where there is none that can be read. */
export const flushSince = ({ paths }: Session): string | null => readMoment(paths.marker)?.at ?? null;
export const haltSince = ({ paths }: Session): string | null => readMoment(paths.haltMarker)?.at ?? null;

const drop = (path: string): void => quietly(() => rmSync(path, { force: true }));

/** The pressure is below critical: nothing is held back any more. */
export const dropHalt = ({ paths }: Session): void => drop(paths.haltMarker);
export const dropFlush = ({ paths }: Session): void => drop(paths.marker);

/** Raises the flag by which the pre-checks start a hook once. `key` names the compaction or the restore that has something for the model. */
export const raiseFollowUp = ({ paths }: Session, key: string): void =>
	writeText(paths.followUpMarker, [key, "\n"], { sync: false });

/** Raises that flag for a compaction's block that nobody has printed; `bin/ccg` does so where it finds no runtime (`note_missed`). */
export const noteMissed = (session: Session): void => raiseFollowUp(session, MISSED);
export const MISSED = "missed";

/** The key in the follow-up flag; `null` where the flag is down. */
export const readFollowUp = ({ paths }: Session): string | null =>
	readText(paths.followUpMarker, MAX_BYTES)?.trimEnd() ?? null;

/** Takes the follow-up flag down. Gives whether it stood: of several callers at once, one gets `true`. */
export function dropFollowUp({ paths }: Session): boolean {
	try {
		unlinkSync(paths.followUpMarker);
		return true;
	} catch (error) {
		if (errorCode(error) === "ENOENT") return false;
		throw error;
	}
}

/** How far a cycle's nudge is: `nudged` went out, `marker` waits for the next call, `none`. */
export const markerState = ({ paths }: Session, { nudged }: { nudged?: object | undefined }) =>
	nudged ? "nudged" : existsSync(paths.marker) ? "marker" : "none";

export const readUsage = ({ paths }: Session): UsageRecord | null => readMoment(paths.pressure);

/** Writes the last measurement of a session; only measurements call it. */
export function writeUsage({ paths }: Session, record: UsageRecord): void {
	const { at, why, cwd, transcriptPath, cycle, stamp } = record;
	writeJson(paths.pressure, record, { exact: { at, why, cwd, transcriptPath, cycle, stamp }, sync: false });
}
