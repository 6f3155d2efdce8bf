import { closeSync, existsSync, openSync, readdirSync, unlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { makeFolder, quietly, removeOnce } from "../atomic-write.ts";
import { writeText } from "../gate.ts";
import type { Content } from "../json-schema.ts";
import { isSessionId, sessionPaths } from "../paths.ts";
import { type Session, type Store, sessionAt } from "../session-handle.ts";
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
export function dropHalt(session: Session, mode: string, marker: HaltMarker, now: Date): void {
	const paths = session.paths;
	if (mode === "off" || existsSync(paths.haltMarker)) return;
	if (mode === "warn" && existsSync(paths.haltTold)) return;
	if (isResumed(session, now)) return;
	writeVersioned(paths.haltMarker, HALT, { version: 1, ...marker }, { sync: false });
}

/** The marker, or `null` where there is none that can be read. */
export function readHalt(session: Session): HaltMarker | null {
	const { folder, haltMarker } = session.paths;
	// quarantined where no pre-check takes it for a marker
	const marker = readGood(haltMarker, HALT, session.tell, join(folder, "halt-marker"));
	return marker && marker.limit > 0 ? marker : null;
}

/** The sessions at which a stop stands. */
export function haltedSessions(store: Store): string[] {
	try {
		const names = readdirSync(dirname(sessionPaths(store.root, "x").haltMarker)).filter(isSessionId);
		return names.filter((sid) => readHalt(sessionAt(store, sid)) !== null).sort();
	} catch {
		return [];
	}
}

/** The pressure is below critical: nothing is held back any more, and an unused pass is worth nothing. */
export function liftHalt(session: Session): void {
	const { haltMarker, changePass } = session.paths;
	remove(haltMarker, changePass);
}

/** The cycle ends: also what the user was told and what a person allowed belongs to it. */
export function endHalt(session: Session): void {
	liftHalt(session);
	const { haltTold, resumed } = session.paths;
	remove(haltTold, resumed);
}

/** After a task checkpoint: the next change may pass. */
export function grantPass(session: Session, now: Date): void {
	writeText(session.paths.changePass, `${now.toISOString()}\n`);
}

/** Takes the pass; of several changes that ask at once, one gets it. */
export const takePass = (session: Session): boolean => removeOnce(session.paths.changePass);

/** True for the first who tells the user in this cycle. */
export function claimTelling(session: Session): boolean {
	const { folder, haltTold } = session.paths;
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
export function resumeWork(session: Session, now: Date, until: Date | null): void {
	const word = { version: 1, at: now.toISOString(), until: until?.toISOString() ?? null } as const;
	writeVersioned(session.paths.resumed, RESUMED, word, { durable: true });
	liftHalt(session);
}

/** Whether a user override stands; `until` is `null` where it holds to the next compaction. */
export function resumedUntil(session: Session, now: Date): { until: string | null } | null {
	const path = session.paths.resumed;
	if (!existsSync(path)) return null;
	const word = readGood(path, RESUMED, session.tell);
	if (!word) return null;
	if (word.until && !(Date.parse(word.until) > now.getTime())) return null;
	return { until: word.until };
}

export const isResumed = (session: Session, now: Date): boolean => resumedUntil(session, now) !== null;

function remove(...paths: string[]): void {
	for (const path of paths) if (existsSync(path)) quietly(() => unlinkSync(path));
}
