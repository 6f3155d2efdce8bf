import { existsSync } from "node:fs";
import { compactionScopes, launchOptions } from "../../claude/machine/compaction-settings.ts";
import { lastUsage } from "../../claude/transcript/compactions.ts";
import { waitForText } from "../../claude/transcript/transcripts.ts";
import type { Config } from "../../core/config/config.ts";
import { type CompactionTrigger, compactionTrigger, modelWindow } from "../../core/pressure/compaction-trigger.ts";
import { isAhead, type Pressure, pressureOf, shareOf } from "../../core/pressure/pressure.ts";
import { endCycle, type KnownCycle } from "../../core/session/cycle.ts";
import type { LaunchOptions, UsageRecord } from "../../core/session/status.ts";
import type { Env } from "../../store/paths.ts";
import {
	dropFlush,
	dropHalt,
	markerState,
	raiseFlush,
	raiseHalt,
	readUsage,
	writeUsage,
} from "../../store/pressure/flags.ts";
import { observedTriggers } from "../../store/pressure/observed-triggers.ts";
import { changeCycle, cycleOrLast, type Known } from "../../store/session/cycles.ts";
import type { Session, Store } from "../../store/session-handle.ts";
import type { Hook } from "../run/event.ts";

/** One measurement of a session's context, from whichever source. */
interface Measurement
	extends Pick<UsageRecord, "source" | "model" | "claudeVersion" | "cwd" | "transcriptPath" | "tokens"> {
	/** The cycle as of before the source was read: a compaction may end it meanwhile. */
	known: Known;
	/** Where compaction triggers: as Claude Code says, or by `triggerOf`. */
	trigger: Pick<CompactionTrigger, "tokens" | "window" | "why"> & { launch?: LaunchOptions };
}

export interface Measured extends Pressure {
	/** The use passed the share at which a checkpoint is taken: once a cycle. */
	isHigh: boolean;
	/** How far the nudge is. */
	marker: ReturnType<typeof markerState>;
}

/**
 * Keeps a measurement for `ccg status` and the hooks, and raises the flush flag when it is due, the halt flag when it is
 * critical. Nothing else writes the file, and with it what was known of the cycle: most start without the database then.
 */
export function measure(
	session: Session,
	{ config, now }: Pick<Hook, "config" | "now">,
	{ known, trigger, ...seen }: Measurement,
): Measured {
	const { tokens, source } = seen;
	const { due, ...pressure } = pressureOf(tokens, trigger, config.marker);
	const before = readUsage(session);
	const { cycle } = cycleOrLast(session, known);
	const { nudged, number, compactedAt } = cycle;
	// the numbers are of the cycle before
	if (number !== known.cycle.number) return { ...pressure, isHigh: false, marker: markerState(session, cycle) };
	const at = now.toISOString();
	// the status line may run once more with the old number when the cycle has ended. The transcript's last answer is never one
	// from before its boundary
	const isOld =
		source !== "transcript" && now.getTime() - Date.parse(compactedAt) < LATELY_MS && before?.tokens === tokens;
	const { usageShare } = config.checkpoints;
	const isHighUse = !isOld && usageShare > 0 && (shareOf(pressure) ?? 0) > usageShare;
	const asked = isHighUse ? (number ?? 0) : before?.asked;
	const usage: UsageRecord = {
		...pressure,
		at,
		...seen,
		launch: trigger.launch?.pid ? trigger.launch : undefined,
		...(asked !== undefined && { asked }),
		cycle,
		stamp: known.stamp,
	};
	// the same once more in the same cycle is no news
	const isNews = JSON.stringify({ ...usage, at: before?.at }) !== JSON.stringify(before);
	if (isNews || before!.at <= compactedAt) writeUsage(session, usage);
	// to half of what the nudge spoke of: a compaction, a clear or a rewind that no event told of
	if (nudged && tokens !== null && tokens < (nudged.tokens ?? 0) / 2)
		// (of all that see it one ends the cycle)
		changeCycle(session, (now) => now.number === number && endCycle(now));
	if (!isOld) {
		flagHalt(session, config, pressure, cycle, at);
		if (due && isAhead(pressure) && config.nudge.wording !== "off" && !nudged) raiseFlush(session, at);
	}
	const { cycle: last } = cycleOrLast(session, usage);
	// ended while this wrote: the end of the cycle may have taken the flags down before they were up
	if (last.number !== number) {
		dropFlush(session);
		dropHalt(session);
	}
	return { ...pressure, isHigh: isHighUse && asked !== before?.asked, marker: markerState(session, last) };
}

/**
 * Where the context of a session of this model is compacted: by the settings of the project it began in, by what Claude Code was started
 * with (`launch`), and by what was seen.
 */
export function triggerOf(
	store: Store & { env: Env },
	session: Session,
	projectDir: string,
	{ model, claudeVersion }: { model: string; claudeVersion: string | null },
	reportedWindow: number | null = null,
) {
	const { env } = store;
	const launch = launchOptions(env, () => readUsage(session)?.launch);
	const scopes = compactionScopes(env, projectDir || "/", launch);
	const known = { model, reportedWindow, claudeVersion: claudeVersion || null, observed: observedTriggers(store) };
	return { ...compactionTrigger({ ...known, env, scopes }), scopes, launch };
}

/** Critical is a share of the way to compaction; of the window where nothing compacts by itself. */
function flagHalt(
	session: Session,
	{ guard: { mode }, task: { critical } }: Config,
	pressure: Pressure,
	{ isHaltTold, resumed }: KnownCycle,
	at: string,
): void {
	const share = shareOf(pressure);
	if (share === null) return;
	if (share < critical) return dropHalt(session);
	const isSaid = mode === "off" || (mode === "warn" && isHaltTold) || resumed;
	if (!isSaid) raiseHalt(session, at);
}

const LATELY_MS = 10 * 60_000;

const LAG_MS = 300;
const APPEARS_MS = 500;

/**
 * Measures where no status line runs: from the usage of the last answer in the transcript's tail, with the version of Claude Code
 * that wrote it. `null` where there is none yet.
 */
export function measureTranscript(hook: Hook): Measured | null {
	const { input, session, env } = hook;
	const { transcript_path: path, tool_use_id: call, cwd = "" } = input;
	if (!path) throw new Error("input has no transcript_path");
	const known = cycleOrLast(session);
	// nobody waits for this; without the answer that made the call it would measure the one before
	waitForText(path, call ? `"id":"${call}"` : "{", existsSync(path) ? LAG_MS : APPEARS_MS);
	// with --no-session-persistence there is never one
	if (!existsSync(path)) return null;
	const seen = lastUsage(path);
	const model = seen && (seen.model ?? readUsage(session)?.model);
	if (!seen || !model) return null;
	const { tokens, version: claudeVersion } = seen;
	const projectDir = hook.folder || "/";
	// the transcript does not tell a model of 200,000 tokens from its variant of 1,000,000: more tokens than fit prove the latter
	const window = tokens !== null && tokens > modelWindow(model, env) ? 1_000_000 : null;
	return measure(session, hook, {
		source: "transcript",
		tokens,
		model,
		claudeVersion,
		cwd,
		transcriptPath: path,
		known,
		trigger: triggerOf(hook, session, projectDir, { model, claudeVersion }, window),
	});
}
