import { existsSync, linkSync, renameSync, statSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { namesIn } from "../../files/names-in.ts";
import { makeFolder, quietly } from "../atomic-write.ts";
import type { Content } from "../json-schema.ts";
import type { Session } from "../session-handle.ts";
import { flushMarker } from "../shapes.generated.ts";
import type * as stored from "../stored-shapes.ts";
import { kindOf, readGood, writeVersioned } from "../versioned-file.ts";
import { endHalt } from "./halt.ts";

export type FlushMarker = Content<typeof stored.flushMarker>;

/** Of one cycle: the next measurement brings it again. */
const MARKER = kindOf("flush marker", flushMarker, { passing: true });

/** Drops the marker, unless it stands already or this cycle's nudge is out. Gives whether it was dropped. */
export function dropMarker(session: Session, marker: FlushMarker): boolean {
	const paths = session.paths;
	if (existsSync(paths.marker) || existsSync(paths.nudged)) return false;
	writeVersioned(paths.marker, MARKER, { version: 1, ...marker }, { sync: false });
	return true;
}

/**
 * Takes the marker: of all processes that ask at once, one gets it, the others `null`. A marker that is stale or can't be
 * read is removed. At most one claim succeeds per cycle, also when a late measurement drops a second marker: the winner
 * must also create `nudged.json`, which stands until the cycle ends.
 */
export function claimMarker(session: Session, staleMs: number, now: Date): FlushMarker | null {
	const paths = session.paths;
	// quarantined where no pre-check takes it for a marker
	const marker = readGood(paths.marker, MARKER, session.tell, join(paths.folder, "flush-marker"));
	if (!marker && !existsSync(paths.marker)) return null;
	const at = Date.parse(marker?.at ?? "");
	if (!marker || Number.isNaN(at) || now.getTime() - at > staleMs) {
		quietly(() => unlinkSync(paths.marker));
		return null;
	}
	makeFolder(paths.folder);
	const claim = join(paths.folder, `claim-${process.pid}-${Math.random().toString(36).slice(2)}`);
	try {
		renameSync(paths.marker, claim);
	} catch (error) {
		if ((error as { code?: string }).code === "ENOENT") return null;
		throw error;
	}
	try {
		linkSync(claim, paths.nudged);
	} catch (error) {
		if ((error as { code?: string }).code === "EEXIST") return null;
		throw error;
	} finally {
		quietly(() => unlinkSync(claim));
	}
	const { tokens, distance, trigger } = marker;
	return { at: marker.at, tokens, distance, trigger };
}

/** Removes every session's stale marker: a session that crashed claims none, and versions without a session id test them all. */
export function removeStaleMarkers(root: string, staleMs: number, now: Date): void {
	sweep(join(root, "run", "flush"), staleMs, now);
	// what a compaction left to inject waits for a session that is resumed
	sweep(join(root, "run", "follow-up"), Math.max(staleMs, FOLLOW_UP_STALE_MS), now);
	// a session that is resumed says again where it belongs
	sweep(join(root, "run", "project"), Math.max(staleMs, PROJECT_STALE_MS), now);
	sweep(join(root, "run", "process"), Math.max(staleMs, PROJECT_STALE_MS), now);
	// and its pressure is still critical then
	sweep(join(root, "run", "halt"), Math.max(staleMs, FOLLOW_UP_STALE_MS), now);
}

const FOLLOW_UP_STALE_MS = 7 * 86_400_000;
const PROJECT_STALE_MS = 30 * 86_400_000;

function sweep(folder: string, staleMs: number, now: Date): void {
	const names = namesIn(folder);
	for (const name of names)
		quietly(() => {
			const path = join(folder, name);
			if (now.getTime() - statSync(path).mtimeMs > staleMs) unlinkSync(path);
		});
}

/** Takes the marker away without ending the cycle: what PreCompact does, since a compaction need not follow. */
export function clearMarker(session: Session): void {
	quietly(() => unlinkSync(session.paths.marker));
}

/** Names the cycle by the compaction that began it; empty before the first. A rename commits it, so its inode and ctime tell. */
export function cycleOf(session: Session): string {
	const stat = statSync(session.paths.committed, { throwIfNoEntry: false });
	return stat ? `${stat.ino} ${stat.ctimeMs}` : "";
}

/** Ends the cycle: the next rise of pressure may nudge, warn and stop again. */
export function endCycle(session: Session): void {
	clearMarker(session);
	endHalt(session);
	quietly(() => unlinkSync(session.paths.nudged));
	const { usageCheckpoint } = session.paths;
	if (existsSync(usageCheckpoint)) quietly(() => unlinkSync(usageCheckpoint));
}

/** State of the cycle for displays. */
export function markerState(session: Session): "none" | "marker" | "nudged" {
	const paths = session.paths;
	if (existsSync(paths.nudged)) return "nudged";
	return existsSync(paths.marker) ? "marker" : "none";
}

/** When the nudge of this cycle went out and at how many tokens; `null` when it did not. */
export function nudgedAt(session: Session): { tokens: number; atMs: number } | null {
	const path = session.paths.nudged;
	const marker = readGood(path, MARKER, session.tell);
	if (!marker) return null;
	try {
		return { tokens: marker.tokens, atMs: statSync(path).ctimeMs };
	} catch {
		return null;
	}
}
