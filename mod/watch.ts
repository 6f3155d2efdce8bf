import { type MarkerRule, pressureOf, type Zone } from "../src/core/pressure/pressure.ts";

/** What the last measurement said, and when the next one is worth a process. */
export interface Watch {
	/** Input tokens and the model's window when it was taken. */
	tokens: number;
	window: number;
	/** Where compaction triggers, and the window it counts by. */
	trigger: number | null;
	compactionWindow: number;
	rule: MarkerRule;
	/** Nothing changes before this many tokens; `null` for the rest of the cycle. */
	nextTokens: number | null;
	hasStatusLine: boolean;
}

/** Whether it is time to measure: something may have changed, the model's window did, or the conversation shrank. */
export function isTimeToMeasure(watch: Watch, tokens: number, window: number): boolean {
	if (watch.window !== window || tokens < watch.tokens / 2) return true;
	return watch.nextTokens !== null && tokens >= watch.nextTokens;
}

/** The zone as the core names it. */
export function zoneOf({ trigger, compactionWindow, rule }: Watch, tokens: number): Zone {
	const place = { tokens: trigger, window: compactionWindow, why: "told by Claude Code" } as const;
	return pressureOf(tokens, place, rule).zone;
}

/** The line under the prompt: what is left before compaction. None while all is calm: Claude Code draws a warning sign before it. */
export function bandText(watch: Watch, tokens: number): string | undefined {
	const { trigger, compactionWindow } = watch;
	const limit = trigger ?? compactionWindow;
	const zone = zoneOf(watch, tokens);
	if (zone === "calm") return undefined;
	const left = `${thousands(Math.max(0, limit - tokens))}k left of ${thousands(limit)}k`;
	return `${left}, ${trigger === null ? "no auto-compaction" : zone}`;
}

const thousands = (tokens: number): number => Math.round(tokens / 1_000);
