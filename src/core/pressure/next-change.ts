import type { MarkerRule } from "./pressure.ts";

/**
 * The smallest number of tokens above `tokens` at which the zone, the flush marker or one of the `shares` of the way to compaction
 * changes; `null` where nothing does any more. Who measures often need not look before.
 */
export function nextChange(
	tokens: number,
	{ trigger, window }: { trigger: number | null; window: number },
	rule: MarkerRule,
	shares: readonly number[],
): number | null {
	const steps = shares.map((share) => share * (trigger ?? window));
	if (rule.rule === "percent") steps.push(Math.floor((rule.percent * window) / 100) + 1);
	if (trigger !== null) {
		const least = rule.minUsedShare * trigger;
		for (const times of [2, 1]) steps.push(Math.max(least, trigger - rule.headroomTokens * times));
		steps.push(trigger - rule.headroomTokens / 4);
	}
	const above = steps.map(Math.ceil).filter((step) => step > tokens);
	return above.length > 0 ? Math.min(...above) : null;
}
