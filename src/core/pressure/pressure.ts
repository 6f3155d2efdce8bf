import type { CompactionTrigger } from "./compaction-trigger.ts";

/** When the flush marker drops; part of the configuration. */
export interface MarkerRule {
	/** `distance`: tokens left before compaction; `percent`: the original rule, share of the window used. */
	rule: "distance" | "percent";
	/** Drop when this many tokens or fewer are left. */
	headroomTokens: number;
	/** For small windows: never before this share of the trigger is used. */
	minUsedShare: number;
	/** For the percent rule: drop above this share of the window, in percent. */
	percent: number;
}

/** `unknown` right after a start or a compaction, `none` where nothing compacts by itself. */
export type Zone = "unknown" | "none" | "calm" | "watch" | "flush" | "imminent";

export interface Pressure {
	/** Context size, `null` while unknown. */
	tokens: number | null;
	window: number;
	/** Compaction trigger in tokens, `null` where none is known. */
	trigger: number | null;
	why: CompactionTrigger["why"];
	/** Tokens left before compaction; negative beyond the trigger. */
	distance: number | null;
	zone: Zone;
	/** Whether the flush marker is due. */
	due: boolean;
}

export function pressureOf(tokens: number | null, trigger: CompactionTrigger, rule: MarkerRule): Pressure {
	const distance = tokens === null || trigger.tokens === null ? null : trigger.tokens - tokens;
	const due = isDue(tokens, trigger, distance, rule);
	return {
		tokens,
		window: trigger.window,
		trigger: trigger.tokens,
		why: trigger.why,
		distance,
		zone: zoneOf(tokens, trigger, distance, due, rule),
		due,
	};
}

function isDue(tokens: number | null, trigger: CompactionTrigger, distance: number | null, rule: MarkerRule): boolean {
	if (tokens === null) return false;
	if (rule.rule === "percent") return (tokens * 100) / trigger.window > rule.percent;
	if (distance === null || trigger.tokens === null) return false;
	return distance <= rule.headroomTokens && tokens >= rule.minUsedShare * trigger.tokens;
}

function zoneOf(
	tokens: number | null,
	trigger: CompactionTrigger,
	distance: number | null,
	due: boolean,
	rule: MarkerRule,
): Zone {
	if (tokens === null) return "unknown";
	if (distance === null || trigger.tokens === null) return due ? "flush" : "none";
	if (distance <= rule.headroomTokens / 4) return "imminent";
	if (due) return "flush";
	return distance <= rule.headroomTokens * 2 && tokens >= rule.minUsedShare * trigger.tokens ? "watch" : "calm";
}
