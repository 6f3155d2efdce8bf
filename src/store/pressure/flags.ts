import { existsSync, rmSync, unlinkSync } from "node:fs";
import type { UsageRecord } from "../../core/session/status.ts";
import { readText } from "../../files/json-file.ts";
import { quietly } from "../../files/quietly.ts";
import { errorCode } from "../../files/system-failure.ts";
import { writeJson, writeText } from "../gate.ts";
import type { Session } from "../session-handle.ts";

/** What is kept of a moment holds a few numbers. */
const MAX_BYTES = 16 * 1024;

/** What was written at one moment; `null` where there is none, or it is damaged: the next one is written over it. */
function readMoment<T extends { at: string }>(path: string): T | null {
	const value = quietly(() => JSON.parse(readText(path, MAX_BYTES) ?? "null"));
	return typeof value?.at === "string" && !Number.isNaN(Date.parse(value.at)) ? value : null;
}

/** Not fsynced: the next measurement brings it again. `at`: ISO 8601. */
const raise = (path: string, at: string): void =>
	void (existsSync(path) || writeJson(path, {}, { exact: { at }, sync: false }));

/** A flag says since when it stands; how full the context is, the last measurement says. */
export const raiseFlush = ({ paths }: Session, at: string): void => raise(paths.marker, at);
export const raiseHalt = ({ paths }: Session, at: string): void => raise(paths.haltMarker, at);

/** Since when it stands; `null` where there is none that can be read. */
export const flushSince = ({ paths }: Session): string | null => readMoment(paths.marker)?.at ?? null;
export const haltSince = ({ paths }: Session): string | null => readMoment(paths.haltMarker)?.at ?? null;

const drop = (path: string): void => quietly(() => rmSync(path, { force: true }));

/** The pressure is below critical: nothing is held back any more. */
export const dropHalt = ({ paths }: Session): void => drop(paths.haltMarker);
export const dropFlush = ({ paths }: Session): void => drop(paths.marker);

/** Lets the pre-checks start a hook once: `key` names the compaction or the restore that something waits of. */
export const raiseFollowUp = ({ paths }: Session, key: string): void =>
	writeText(paths.followUpMarker, [key, "\n"], { sync: false });

/** The same for the block of a compaction while nobody has printed it; `bin/ccg` writes it where no runtime was found (`note_missed`). */
export const noteMissed = (session: Session): void => raiseFollowUp(session, MISSED);
export const MISSED = "missed";

/** What the flag names; `null` where it is down. */
export const readFollowUp = ({ paths }: Session): string | null =>
	readText(paths.followUpMarker, MAX_BYTES)?.trimEnd() ?? null;

/** Gives whether it stood: of all that ask at once one gets `true`. */
export function dropFollowUp({ paths }: Session): boolean {
	try {
		unlinkSync(paths.followUpMarker);
		return true;
	} catch (error) {
		if (errorCode(error) === "ENOENT") return false;
		throw error;
	}
}

/** How far the nudge of a cycle is: it went out, or waits for the next call. */
export const markerState = ({ paths }: Session, { nudged }: { nudged?: object | undefined }) =>
	nudged ? "nudged" : existsSync(paths.marker) ? "marker" : "none";

export const readUsage = ({ paths }: Session): UsageRecord | null => readMoment(paths.pressure);

/** Measurements alone write it. */
export function writeUsage({ paths }: Session, record: UsageRecord): void {
	const { at, why, cwd, transcriptPath, cycle, stamp } = record;
	writeJson(paths.pressure, record, { exact: { at, why, cwd, transcriptPath, cycle, stamp }, sync: false });
}
