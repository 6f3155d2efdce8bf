import { existsSync, statSync } from "node:fs";
import { compactionScopes } from "../../claude/machine/compaction-settings.ts";
import { shareOf } from "../../core/halt/pressure-level.ts";
import {
	type CompactionSettings,
	type CompactionTrigger,
	compactionTrigger,
} from "../../core/pressure/compaction-trigger.ts";
import { type Pressure, pressureOf } from "../../core/pressure/pressure.ts";
import { quietly } from "../../store/atomic-write.ts";
import type { Config } from "../../store/config/config.ts";
import { createFirst } from "../../store/gate.ts";
import type { Env } from "../../store/paths.ts";
import { dropHalt, liftHalt } from "../../store/pressure/halt.ts";
import { clearMarker, cycleOf, dropMarker, endCycle, nudgedAt } from "../../store/pressure/marker.ts";
import { observedTriggers, recordTriggers } from "../../store/pressure/observed-triggers.ts";
import { readUsage, writeUsage } from "../../store/pressure/usage-record.ts";
import { appendRecord } from "../../store/session/event-log.ts";
import { type Session, type Store, sessionAt } from "../../store/session-handle.ts";

/** One measurement of a session's context, from whichever source. */
export interface Measurement {
	sid: string;
	source: "status line" | "transcript" | "mod";
	tokens: number | null;
	model: string;
	reportedWindow: number | null;
	claudeVersion: string | null;
	cwd: string;
	projectDir: string;
	transcriptPath: string;
	/** Where Claude Code says that it compacts, and by which window: no formula then. */
	told?: { trigger: number | null; window: number };
	/** What the settings say, where the source has read them already. */
	scopes?: CompactionSettings[];
	/** `cycleOf` of before the source was read: a compaction may end the cycle meanwhile. */
	cycle: string;
	/** The last automatic compaction, where the source shows it. */
	boundary?: { uuid: string; preTokens: number } | null;
	/** Called once a cycle, when the use of the context passes the share at which a checkpoint is taken, or an idle session may be compacted. */
	onHighUse?: () => void;
}

/**
 * Measures the pressure, keeps it for `ccg status`, and drops the flush marker when it is due, the halt marker when it is
 * critical. Gives the pressure.
 */
export function measure(store: Store, config: Config, env: Env, now: Date, seen: Measurement): Pressure {
	const trigger = seen.told ? toldTrigger(seen.told) : computedTrigger(store, env, seen);
	if (seen.boundary) recordTriggers(store, trigger.observedKey, [seen.boundary]);
	const { due, ...pressure } = pressureOf(seen.tokens, trigger, config.marker);
	const { sid, source, model, claudeVersion, cwd, projectDir, transcriptPath } = seen;
	const session = sessionAt(store, sid);
	// the numbers are of the cycle before
	if (cycleOf(session) !== seen.cycle) return { ...pressure, due };
	const before = readUsage(session);
	recordZone(session, now, before?.zone ?? "unknown", pressure);
	writeUsage(session, {
		...pressure,
		at: now.toISOString(),
		source,
		model,
		claudeVersion,
		cwd,
		projectDir,
		transcriptPath,
	});
	if (hasFallen(session, seen.tokens)) endCycle(session);
	// of before the compaction: the status line may run once more with the old number when the cycle has ended. The transcript's
	// last answer is never one from before its boundary
	if (source !== "transcript" && before?.tokens === seen.tokens && compactedLately(session, now))
		return { ...pressure, due };
	updateHaltMarker(session, config, pressure, now);
	if (isHighUse(session, config, pressure, env)) seen.onHighUse?.();
	if (due && config.nudge.wording !== "off")
		dropMarker(session, {
			at: now.toISOString(),
			tokens: seen.tokens ?? 0,
			distance: pressure.distance,
			trigger: pressure.trigger,
		});
	// ended while this wrote: the end of the cycle may have looked for the markers before they stood
	if (cycleOf(session) !== seen.cycle) {
		clearMarker(session);
		liftHalt(session);
	}
	return { ...pressure, due };
}

export const toldTrigger = ({ trigger, window }: { trigger: number | null; window: number }): CompactionTrigger => ({
	tokens: trigger,
	window,
	why: trigger === null ? "auto-compaction is off" : "told by Claude Code",
	observedKey: "",
});

const computedTrigger = (store: Store, env: Env, seen: Measurement): CompactionTrigger =>
	compactionTrigger({
		model: seen.model,
		reportedWindow: seen.reportedWindow,
		claudeVersion: seen.claudeVersion,
		env,
		scopes: seen.scopes ?? compactionScopes(env, seen.projectDir),
		observed: observedTriggers(store),
	});

/** A change of zone goes into the session's event log: a line now and then, not one for each measurement. */
function recordZone(
	session: Session,
	now: Date,
	from: string,
	{ zone, tokens, distance }: Omit<Pressure, "due">,
): void {
	if (from !== zone) quietly(() => appendRecord(session, now, { kind: "zone", from, zone, tokens, distance }));
}

/** Critical is a share of the way to compaction; of the window where nothing compacts by itself. */
function updateHaltMarker(
	session: Session,
	{ guard, task }: Config,
	{ tokens, trigger, window }: Omit<Pressure, "due">,
	now: Date,
): void {
	const share = shareOf(tokens, trigger, window);
	if (share === null || tokens === null) return;
	const { critical } = task;
	if (share < critical) liftHalt(session);
	else dropHalt(session, guard.mode, { at: now.toISOString(), tokens, limit: trigger ?? window, critical }, now);
}

/** For the first measurement of the cycle that is above the share. */
function isHighUse(session: Session, { checkpoints }: Config, pressure: Omit<Pressure, "due">, env: Env): boolean {
	const { tokens, trigger, window } = pressure;
	const share = checkpoints.usageShare > 0 ? shareOf(tokens, trigger, window) : null;
	if (share === null || (share <= checkpoints.usageShare && tokens! < idleMinimum(env))) return false;
	const { usageCheckpoint } = session.paths;
	return !existsSync(usageCheckpoint) && createFirst(usageCheckpoint, "");
}

/** From so many tokens on Claude Code compacts a session that idles, with no tool call before it (seen on 2.1.330). */
export const idleMinimum = ({ CLAUDE_CODE_IDLE_COMPACT_MIN_TOKENS: least }: Env): number =>
	Math.max(100_000, Number(least) || 200_000);

function compactedLately(session: Session, now: Date): boolean {
	const { committed } = session.paths;
	// the rename that committed it sets ctime; mtime is of before the summary
	return existsSync(committed) && now.getTime() - statSync(committed).ctimeMs < LATELY_MS;
}

const LATELY_MS = 10 * 60_000;

/** The context shrank to half of what the nudge spoke of: a compaction, a clear or a rewind that no event told of. */
function hasFallen(session: Session, tokens: number | null): boolean {
	if (tokens === null) return false;
	const nudged = nudgedAt(session);
	return nudged !== null && tokens < nudged.tokens / 2;
}
