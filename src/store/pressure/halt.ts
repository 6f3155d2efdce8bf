import { closeSync, existsSync, openSync, readdirSync, unlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { makeFolder, quietly, removeOnce } from "../atomic-write.ts";
import { writeText } from "../gate.ts";
import type { Content } from "../json-schema.ts";
import { isSessionId, sessionPaths } from "../paths.ts";
import { haltMarker as haltShape, resumed as resumedShape } from "../shapes.generated.ts";
import type * as stored from "../stored-shapes.ts";
import { kindOf, readGood, writeVersioned } from "../versioned-file.ts";

export type HaltMarker = Content<typeof stored.haltMarker>;

/** Of one cycle: the next measurement brings it again. */
const HALT = kindOf("halt marker", haltShape, { passing: true });
const RESUMED = kindOf("word of a person", resumedShape, { passing: true });

/**
 * Drops the marker at critical pressure, unless it stands already, a person lifted the stop, or the user was told in this
 * cycle and telling is all there is to do.
 */
export function dropHalt(root: string, sid: string, mode: string, marker: HaltMarker, now: Date): void {
	const paths = sessionPaths(root, sid);
	if (mode === "off" || existsSync(paths.haltMarker)) return;
	if (mode === "warn" && existsSync(paths.haltTold)) return;
	if (isResumed(root, sid, now)) return;
	writeVersioned(paths.haltMarker, HALT, { version: 1, ...marker }, { sync: false });
}

/** The marker, or `null` where there is none that can be read. */
export function readHalt(root: string, sid: string): HaltMarker | null {
	const { folder, haltMarker } = sessionPaths(root, sid);
	// kept aside where no guard takes it for a marker
	const marker = readGood(haltMarker, HALT, join(folder, "halt-marker"));
	return marker && marker.limit > 0 ? marker : null;
}

/** The sessions at which a stop stands. */
export function haltedSessions(root: string): string[] {
	try {
		const names = readdirSync(dirname(sessionPaths(root, "x").haltMarker)).filter(isSessionId);
		return names.filter((sid) => readHalt(root, sid) !== null).sort();
	} catch {
		return [];
	}
}

/** The pressure is below critical: nothing is held back any more, and an unused pass is worth nothing. */
export function liftHalt(root: string, sid: string): void {
	const { haltMarker, changePass } = sessionPaths(root, sid);
	remove(haltMarker, changePass);
}

/** The cycle ends: also what the user was told and what a person allowed belongs to it. */
export function endHalt(root: string, sid: string): void {
	liftHalt(root, sid);
	const { haltTold, resumed } = sessionPaths(root, sid);
	remove(haltTold, resumed);
}

/** After a task checkpoint: the next change may pass. */
export function grantPass(root: string, sid: string, now: Date): void {
	writeText(sessionPaths(root, sid).changePass, `${now.toISOString()}\n`);
}

/** Takes the pass; of several changes that ask at once, one gets it. */
export const takePass = (root: string, sid: string): boolean => removeOnce(sessionPaths(root, sid).changePass);

/** True for the first who tells the user in this cycle. */
export function claimTelling(root: string, sid: string): boolean {
	const { folder, haltTold } = sessionPaths(root, sid);
	if (existsSync(haltTold)) return false;
	makeFolder(folder);
	try {
		closeSync(openSync(haltTold, "wx", 0o600));
		return true;
	} catch (error) {
		if ((error as { code?: string }).code === "EEXIST") return false;
		throw error;
	}
}

/** A person lifts the stop: until the next compaction, or until the given time when that comes first. */
export function resumeWork(root: string, sid: string, now: Date, until: Date | null): void {
	const word = { version: 1, at: now.toISOString(), until: until?.toISOString() ?? null } as const;
	writeVersioned(sessionPaths(root, sid).resumed, RESUMED, word, { durable: true });
	liftHalt(root, sid);
}

/** Whether a person's word stands; `until` is `null` where it holds to the next compaction. */
export function resumedUntil(root: string, sid: string, now: Date): { until: string | null } | null {
	const path = sessionPaths(root, sid).resumed;
	if (!existsSync(path)) return null;
	const word = readGood(path, RESUMED);
	if (!word) return null;
	if (word.until && !(Date.parse(word.until) > now.getTime())) return null;
	return { until: word.until };
}

export const isResumed = (root: string, sid: string, now: Date): boolean => resumedUntil(root, sid, now) !== null;

function remove(...paths: string[]): void {
	for (const path of paths) if (existsSync(path)) quietly(() => unlinkSync(path));
}
