/** How many past compactions count. */
const WINDOW = 8;

/**
 * The formula corrected by where compaction really struck. A compaction strikes at the trigger or, when one step added
 * much, beyond it, so the smallest observation is the best bound: one below the formula lowers it at once; three above
 * raise it to their smallest. Observations far below (idle compaction reports itself as automatic) count only when three
 * agree.
 */
export function correctedTrigger(formula: number, observed: readonly number[]): number {
	const recent = observed.slice(-WINDOW);
	const near = recent.filter((tokens) => tokens >= 0.8 * formula);
	const far = recent.filter((tokens) => tokens < 0.8 * formula);
	if (far.length >= 3 && Math.max(...far) - Math.min(...far) <= 0.05 * Math.max(...far)) return Math.min(...far);
	if (near.length === 0) return formula;
	const smallest = Math.min(...near);
	return smallest < formula || near.length >= 3 ? smallest : formula;
}
