import { existsSync, rmSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import type { Pressure } from "../../core/pressure/pressure.ts";
import { namesIn } from "../../files/names-in.ts";
import { quietly, quietStat } from "../../files/quietly.ts";
import { errorCode } from "../../files/system-failure.ts";
import { sha256, writeJson, writeText } from "../gate.ts";
import { readText } from "../json-file.ts";
import { SHARED_TOLD, usagePath } from "../paths.ts";
import type { Session } from "../session-handle.ts";

/** A flag holds a few numbers. */
const MAX_BYTES = 16 * 1024;

/** What a flag or a measurement says of one moment; `null` where there is none, or it is damaged: the next one is written over it. */
export function readFlag<T extends { at: string }>(path: string): T | null {
	const value = quietly(() => JSON.parse(readText(path, MAX_BYTES) ?? "null"));
	return value && !Number.isNaN(Date.parse(value.at)) ? value : null;
}

/** Not fsynced: the next measurement brings it again. */
const writeFlag = <T extends object>(path: string, value: T, exact: Partial<T> = {}): void =>
	writeJson(path, value, { sync: false, exact });

/** Compaction is near. */
export interface FlushFlag extends Pick<Pressure, "tokens" | "distance" | "trigger"> {
	at: string;
}

/** The pressure is critical. */
interface HaltFlag {
	at: string;
	tokens: number;
	/** Tokens at which compaction triggers, or the window where nothing compacts by itself. */
	limit: number;
	/** The threshold it was measured against, as a share. */
	critical: number;
}

const raise = <T extends object>(path: string, flag: T): void => void (existsSync(path) || writeFlag(path, flag));
export const raiseFlush = ({ paths }: Session, flag: FlushFlag): void => raise(paths.marker, flag);
export const readFlush = ({ paths }: Session): FlushFlag | null => readFlag(paths.marker);
export const raiseHalt = ({ paths }: Session, flag: HaltFlag): void => raise(paths.haltMarker, flag);

/** The flag, or `null` where there is none that can be read. */
export function readHalt({ paths }: Session): HaltFlag | null {
	const flag = readFlag<HaltFlag>(paths.haltMarker);
	return flag && flag.limit > 0 ? flag : null;
}

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

/** Of all that ask at once one gets `true`; the others meet the code. */
function isFirst(act: () => void, code: string): boolean {
	try {
		act();
		return true;
	} catch (error) {
		if (errorCode(error) === code) return false;
		throw error;
	}
}

export const dropFollowUp = ({ paths }: Session): boolean => isFirst(() => unlinkSync(paths.followUpMarker), "ENOENT");
const nudgedPath = ({ paths }: Session, cycle: number): string => join(paths.folder, `nudged-${cycle}`);

/** What the nudge of a cycle spoke of; `null` where none went out. */
export const readNudged = (session: Session, cycle: number): Pick<FlushFlag, "tokens"> | null =>
	readFlag<FlushFlag>(nudgedPath(session, cycle));
export const markerState = (session: Session, cycle = 0): "nudged" | "marker" | "none" =>
	readNudged(session, cycle) ? "nudged" : existsSync(session.paths.marker) ? "marker" : "none";

/**
 * Keeps that the nudge of a cycle goes out: of all that ask, at once or later, one gets `true`. Who is killed between this and its print
 * takes the nudge along: of calls that run at once each would print one, if it were kept behind the print.
 */
export const claimNudged = (session: Session, cycle: number, { at, tokens }: FlushFlag): boolean =>
	isFirst(
		() => writeJson(nudgedPath(session, cycle), {}, { exact: { at, tokens }, exclusive: true, sync: false }),
		"EEXIST",
	);

/** The session goes on to a cycle: what was kept of the nudges before, also by who came late, goes. */
export function dropNudged({ paths: { folder } }: Session, cycle: number): void {
	for (const name of namesIn(folder))
		if (name.startsWith("nudged-") && name !== `nudged-${cycle}`) drop(join(folder, name));
}

/** What the name of the file that keeps a slow status line's output ends with, behind the session. */
export const slowName = (command: string): string => `.slow-${sha256(command).slice(0, 8)}`;

/** What Claude Code was started with; `pid` where it is kept. */
export type LaunchOptions = Partial<Record<"pid" | "autocompact" | "settings", string | undefined>>;

/** The last measurement of a session, for `ccg status` and the hooks. `at`: ISO 8601. */
export interface UsageRecord extends Pressure {
	at: string;
	source: "status line" | "transcript";
	model: string;
	claudeVersion: string | null;
	cwd: string;
	/** Where the session began: names its project, also behind a `cd`. */
	projectDir: string;
	transcriptPath: string;
	launch?: LaunchOptions | undefined;
	/** The cycle in which a checkpoint of high use was asked for. */
	asked?: string;
	/** Bytes of the transcript when an update of the session's record was started last. */
	updatedTo?: number;
}

export const readUsage = (session: Session): UsageRecord | null => readFlag<UsageRecord>(usagePath(session.paths));

export function writeUsage(session: Session, record: UsageRecord): void {
	const { at, why, cwd, projectDir, transcriptPath } = record;
	writeFlag(usagePath(session.paths), record, { at, why, cwd, projectDir, transcriptPath });
}

const DAY_MS = 86_400_000;

/**
 * How long flags stay that nobody takes down. What a compaction left to inject waits for a session that is resumed, and its pressure is
 * still critical then.
 */
const FLAG_DAYS = { flush: 0, "follow-up": 7, halt: 7 };

/** Removes every session's stale flags: a session that crashed takes none down, and versions without a session id test them all. */
export function removeStaleFlags(root: string, staleMs: number, now: Date): void {
	for (const [folder, days] of Object.entries(FLAG_DAYS))
		for (const path of olderIn(join(root, "run", folder), Math.max(staleMs, days * DAY_MS), now)) drop(path);
}

/** Days. */
const MEASURED = 90;

/** Removes what was measured long ago: each session has some, so no hook looks through them. */
export function removeOldMeasurements(root: string, now: Date): void {
	for (const folder of ["run/process", "run/glance", "run/statusline"])
		for (const path of olderIn(join(root, folder), MEASURED * DAY_MS, now)) drop(path);
	for (const folder of olderIn(join(root, "sessions"), MEASURED * DAY_MS, now))
		quietly(() => isMeasuredOnly(folder) && rmSync(folder, { recursive: true }));
}

const olderIn = (folder: string, ms: number, now: Date): string[] =>
	namesIn(folder)
		.map((name) => join(folder, name))
		.filter((path) => now.getTime() - (quietStat(path)?.mtimeMs ?? now.getTime()) > ms);

/** Whether a session's folder holds its last measurement, and what it was told of others, alone: of that no command makes a session. */
export function isMeasuredOnly(folder: string): boolean {
	const names = namesIn(folder);
	return names.length > 0 && names.every((name) => name === "usage.json" || name === SHARED_TOLD);
}
