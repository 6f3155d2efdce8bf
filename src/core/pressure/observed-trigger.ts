/** How many past compactions count. */
const WINDOW = 8;
/** Compactions at one trigger differ by what the last step added. */
const AGREEMENT = 0.03;
/** Below this share of the formula a compaction is likely of another kind: idle and reactive ones report themselves as automatic. */
const NEAR = 0.8;

/**
 * The formula, lowered where compactions agree on a lower place: two near below it, or three far below. A compaction
 * begins at the trigger or, when one step added much, beyond it, so what is seen above the formula never raises it. A
 * single one below says nothing: idle and reactive compactions trigger anywhere.
 */
export function correctedTrigger(formula: number, observed: readonly number[]): number {
	const below = observed.slice(-WINDOW).filter((tokens) => tokens < formula);
	const near = below.filter((tokens) => tokens >= NEAR * formula);
	const far = below.filter((tokens) => tokens < NEAR * formula);
	return agreed(far, 3) ?? agreed(near, 2) ?? formula;
}

/** Whether compactions seen show that a model compacts by itself, where it is said not to: three at the formula's place. */
export function triggersByItself(formula: number, observed: readonly number[]): boolean {
	const fitting = observed.slice(-WINDOW).filter((tokens) => tokens >= formula && tokens <= formula * (1 + FIT));
	return fitting.length >= 3;
}

/** One step adds this share at most, for a compaction to count as one of the formula's. */
const FIT = 0.05;

/** The smallest, where `least` or more are seen and all are close together. */
function agreed(seen: readonly number[], least: number): number | null {
	if (seen.length < least) return null;
	const smallest = Math.min(...seen);
	return Math.max(...seen) - smallest <= AGREEMENT * smallest ? smallest : null;
}
