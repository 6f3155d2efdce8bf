import type { CompactionTrigger } from "./compaction-trigger.ts";

/** When the flush flag is raised; part of the configuration. */
export interface MarkerRule {
	/** `distance`: tokens left before compaction; `percent`: the original rule, share of the window used. */
	rule: "distance" | "percent";
	/** Raised when this many tokens or fewer are left. */
	headroomTokens: number;
	/** For small windows: never before this share of the trigger is used. */
	minUsedShare: number;
	/** For the percent rule: raised above this share of the window, in percent. */
	percent: number;
}

export interface Pressure {
	/** Context size, `null` while unknown. */
	tokens: number | null;
	window: number;
	/** Compaction trigger in tokens, `null` where none is known. */
	trigger: number | null;
	why: CompactionTrigger["why"];
	/** Tokens left before compaction; negative beyond the trigger. */
	distance: number | null;
	/** `unknown` right after a start or a compaction, `none` where nothing compacts by itself. */
	zone: "unknown" | "none" | "calm" | "watch" | "flush" | "imminent";
}

/** Whether compaction's trigger is still ahead, or not known. */
export const isBeforeTrigger = ({ distance }: Pick<Pressure, "distance">): boolean => distance === null || distance > 0;

/**
 * Whether this answer and the `last` one of the same cycle lie beyond the trigger: then it is the whole window's. Claude Code 2.1.332 puts it off
 * so behind a summary that left much, and Desktop raises it for what each request loads. In 27 real sessions at most one answer lay beyond.
 */
export function isPassed(
	tokens: number | null,
	{ tokens: trigger, whole }: Pick<CompactionTrigger, "tokens" | "whole">,
	last: { tokens: number | null } | null,
): boolean {
	const least = trigger ?? Infinity;
	const areBeyond = (tokens ?? 0) > least && (last?.tokens ?? 0) > least;
	return areBeyond && tokens !== last!.tokens && least < whole.tokens;
}

/** Computes the pressure from the context's tokens and the trigger. `due`: by the marker's rule it is time to raise the flush flag. */
export function computePressure(
	tokens: number | null,
	{ tokens: trigger, window, why }: Pick<CompactionTrigger, "tokens" | "window" | "why">,
	{ rule, headroomTokens, minUsedShare, percent }: MarkerRule,
): Pressure & { due: boolean } {
	const distance = tokens === null || trigger === null ? null : trigger - tokens;
	const isMinShareUsed = trigger !== null && tokens !== null && tokens >= minUsedShare * trigger;
	const isNear = distance !== null && distance <= headroomTokens && isMinShareUsed;
	const due = rule === "percent" ? tokens !== null && (tokens * 100) / window > percent : isNear;
	const findZone = (): Pressure["zone"] => {
		if (tokens === null) return "unknown";
		if (distance === null) return due ? "flush" : "none";
		if (distance <= headroomTokens / 4) return "imminent";
		if (due) return "flush";
		return distance <= headroomTokens * 2 && isMinShareUsed ? "watch" : "calm";
	};
	return { tokens, window, trigger, why, distance, zone: findZone(), due };
}

/** How full the context is, 0 to 1: 1 at the compaction trigger, or at the window's end where there is no trigger; `null` while unknown. */
export function usedShare({ tokens, trigger, window }: Measured): number | null {
	const limit = trigger ?? window;
	if (tokens === null || limit === null || !(limit > 0)) return null;
	return Math.min(1, Math.max(0, tokens / limit));
}

type Measured = Pick<Pressure, "tokens" | "trigger"> & { window: number | null };

/** A task's pressure and where the value comes from; `value` is `null` where it is missing, which counts as critical. */
export interface TaskPressure {
	value: number | null;
	level: "normal" | "warning" | "compress" | "critical";
	source: "given" | "measured" | "not measured since the compaction" | "first turn" | "missing";
}

/** The sources from which the pressure is chosen. */
interface PressureFacts {
	/** Of `--pressure`, checked. */
	given?: number | undefined;
	/** ccg's own measurement; `null` where the session has none. */
	measured: (Measured & { beforeCompaction: boolean }) | null;
	/** No checkpoint of this task was written yet. */
	firstTurn: boolean;
}

/**
 * Chooses the pressure a task works under: the value that the host gives, else ccg's measurement, else the fallback rule: 0.0 in the first
 * turn, critical later. After a compaction the context is new: until it is measured, its pressure is 0. Each
 * level begins at its threshold, a share of the way to compaction.
 */
export function choosePressure(
	{ given: hostValue, measured, firstTurn: isFirstTurn }: PressureFacts,
	{ warn, compress, critical }: { warn: number; compress: number; critical: number },
): TaskPressure {
	const levelOf = (share: number): TaskPressure["level"] => {
		if (share >= critical) return "critical";
		if (share >= compress) return "compress";
		return share >= warn ? "warning" : "normal";
	};
	const withLevel = (value: number, source: TaskPressure["source"]) => ({ value, level: levelOf(value), source });
	if (hostValue !== undefined) return withLevel(hostValue, "given");
	if (measured) {
		const share = usedShare(measured);
		const isUnknownSince = measured.tokens === null && measured.window !== null;
		if (measured.beforeCompaction || isUnknownSince) return withLevel(0, "not measured since the compaction");
		if (share !== null) return withLevel(share, "measured");
	}
	return isFirstTurn ? withLevel(0, "first turn") : { value: null, level: "critical", source: "missing" };
}
