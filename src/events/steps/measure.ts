import { existsSync } from "node:fs";
import { launchOptions, readSettings } from "../../claude/machine/compaction-settings.ts";
import { lastUsage } from "../../claude/transcript/compactions.ts";
import { waitForText } from "../../claude/transcript/transcripts.ts";
import type { Config } from "../../core/config/config.ts";
import { type CompactionTrigger, compactionTrigger, modelWindow } from "../../core/pressure/compaction-trigger.ts";
import { computePressure, isBeforeTrigger, isPassed, type Pressure, usedShare } from "../../core/pressure/pressure.ts";
import { endCycle, type KnownCycle, putOff } from "../../core/session/cycle.ts";
import type { LaunchOptions, UsageRecord } from "../../core/session/status.ts";
import type { Env } from "../../store/paths.ts";
import {
	dropCycleFlags,
	dropFlushFlag,
	dropHaltFlag,
	dropNudged,
	raiseFlushFlag,
	raiseHaltFlag,
	readLastUsage,
	readNudged,
	readNudgeState,
	writeLastUsage,
} from "../../store/pressure/flags.ts";
import { triggerLookup } from "../../store/pressure/observed-triggers.ts";
import { changeCycle, readKnownCycle } from "../../store/session/cycles.ts";
import type { Session, Store } from "../../store/session-handle.ts";
import type { Hook } from "../run/event.ts";

/** One measurement of a session's context, from whichever source. */
interface Measurement
	extends Pick<UsageRecord, "source" | "model" | "claudeVersion" | "cwd" | "transcriptPath" | "tokens"> {
	/** The cycle as it was before the source was read: a compaction may end it meanwhile. */
	cycleBefore: KnownCycle;
	/** Where Claude Code compacts. */
	trigger: Pick<CompactionTrigger, "tokens" | "window" | "whole" | "why"> & { launch?: LaunchOptions };
}

export interface Measured extends Pressure {
	/** The use passed the share at which a checkpoint is saved: once a cycle. */
	needsCheckpoint: boolean;
	nudge: ReturnType<typeof readNudgeState>;
}

/**
 * Keeps a measurement for `ccg status` and the hooks. Raises the flush flag when
 * the nudge is due, the halt flag when the pressure is critical.
 */
export function recordMeasurement(
	session: Session,
	{ config, now }: Pick<Hook, "config" | "now">,
	{ cycleBefore, trigger, ...measured }: Measurement,
): Measured {
	const { tokens, source } = measured;
	const last = readLastUsage(session);
	const cycle = readKnownCycle(session);
	const { number, compactedAt } = cycle;
	const isOff = cycle.putOff === trigger.tokens;
	const isNewlyOff = !isOff && isPassed(tokens, trigger, last && last.at > compactedAt ? last : null);
	const inForce = isOff || isNewlyOff ? { ...trigger, ...trigger.whole, why: "put off" as const } : trigger;
	const { due: isNudgeDue, ...pressure } = computePressure(tokens, inForce, config.marker);
	// a compaction came meanwhile: the numbers are of the earlier cycle
	if (number !== cycleBefore.number) return { ...pressure, needsCheckpoint: false, nudge: readNudgeState(session) };
	const at = now.toISOString();
	// after a compaction the status line may bring the number from before it once more; a transcript does not
	const isOld =
		source !== "transcript" && now.getTime() - Date.parse(compactedAt) < LATELY_MS && last?.tokens === tokens;
	const { usageShare } = config.checkpoints;
	const isHighUse = !isOld && usageShare > 0 && (usedShare(pressure) ?? 0) > usageShare;
	/** The number of the cycle in which a checkpoint of high use was started: one in each cycle. */
	const asked = isHighUse ? (number ?? 0) : last?.asked;
	const usage: UsageRecord = {
		...pressure,
		at,
		...measured,
		launch: trigger.launch?.pid ? trigger.launch : undefined,
		...(asked !== undefined && { asked }),
	};
	const isChanged = JSON.stringify({ ...usage, at: last?.at }) !== JSON.stringify(last);
	if (isChanged || last!.at <= compactedAt) writeLastUsage(session, usage);
	if (isNewlyOff) {
		changeCycle(session, (now) => now.number === number && putOff(now, trigger.tokens!));
		dropFlushFlag(session);
		dropNudged(session);
	}
	const nudged = readNudged(session);
	// of a cycle that ended while it was written
	if (!nudged || nudged.number !== number) dropNudged(session);
	// half of the tokens at the nudge are gone: there was a compaction, a clear or a rewind without an event
	else if (tokens !== null && tokens < (nudged.tokens ?? 0) / 2)
		changeCycle(session, (now) => now.number === number && endCycle(now));
	if (!isOld) {
		updateHaltFlag(session, config, pressure, cycle, at);
		if (isNudgeDue && isBeforeTrigger(pressure) && config.nudge.wording !== "off" && !nudged)
			raiseFlushFlag(session, at);
	}
	// the cycle ended meanwhile, perhaps before the flags were raised: they don't count any more
	if (readKnownCycle(session).number !== number) dropCycleFlags(session);
	return { ...pressure, needsCheckpoint: isHighUse && asked !== last?.asked, nudge: readNudgeState(session) };
}

/**
 * Where Claude Code compacts a session of this model: by the settings of the project it began in (`scopes`), by the options Claude Code was
 * started with (`launch`), and by the compactions ccg observed.
 */
export function sessionTrigger(
	store: Store & { env: Env },
	session: Session,
	projectDir: string,
	{ model, claudeVersion }: { model: string; claudeVersion: string | null },
	reportedWindow: number | null = null,
) {
	const { env } = store;
	const launch = launchOptions(env, () => readLastUsage(session)?.launch);
	const scopes = readSettings(env, projectDir || "/", launch);
	const facts = { model, reportedWindow, claudeVersion: claudeVersion || null, observed: triggerLookup(store) };
	return { ...compactionTrigger({ ...facts, env, scopes }), scopes, launch };
}

/** Raises the halt flag at critical pressure, unless the user was warned or lifted the halt; drops it below. */
function updateHaltFlag(
	session: Session,
	{ guard: { mode }, task: { critical } }: Config,
	pressure: Pressure,
	{ isHaltTold, resumed: isLifted }: KnownCycle,
	at: string,
): void {
	const share = usedShare(pressure);
	if (share === null) return;
	if (share < critical) return dropHaltFlag(session);
	const isUnneeded = mode === "off" || (mode === "warn" && isHaltTold) || isLifted;
	if (!isUnneeded) raiseHaltFlag(session, at);
}

const LATELY_MS = 10 * 60_000;
/** How long to wait for the answer that made a call; and for a new session's transcript. */
const LAG_MS = 300;
const APPEARS_MS = 500;

/** Measures where no status line runs: by the usage of the last answer in the transcript. `null` where there is no answer yet. */
export function measureTranscript(hook: Hook): Measured | null {
	const { input, session, env } = hook;
	const { transcript_path: path, tool_use_id: call, cwd = "" } = input;
	if (!path) throw new Error("input has no transcript_path");
	const cycleBefore = readKnownCycle(session);
	// the answer that made this call may not be written yet
	waitForText(path, call ? `"id":"${call}"` : "{", existsSync(path) ? LAG_MS : APPEARS_MS);
	// with --no-session-persistence there is never one
	if (!existsSync(path)) return null;
	const usage = lastUsage(path);
	const model = usage && (usage.model ?? readLastUsage(session)?.model);
	if (!usage || !model) return null;
	const { tokens, version: claudeVersion } = usage;
	// the transcript does not tell a model of 200,000 tokens from its variant of 1,000,000: more tokens than fit prove the latter
	const window = tokens !== null && tokens > modelWindow(model, env) ? 1_000_000 : null;
	const trigger = sessionTrigger(hook, session, hook.folder, { model, claudeVersion }, window);
	const measured = { source: "transcript", tokens, model, claudeVersion, cwd, transcriptPath: path } as const;
	return recordMeasurement(session, hook, { ...measured, cycleBefore, trigger });
}
