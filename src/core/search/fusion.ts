import { normalised } from "../text/text.ts";
import type { FoundPassage } from "./passage.ts";

/** How little the first ranks stand out: the value of the paper (Cormack, Clarke and Büttcher 2009), which others use as well. */
const K = 60;

/**
 * Joins lists of passages, each best first, by reciprocal rank: 1 / (60 + rank), summed over the lists a passage stands in. The same
 * passage, or the same text, once; what stands equal comes in the order of the lists. `score` becomes that sum.
 */
export function fused(...lists: readonly (readonly FoundPassage[])[]): FoundPassage[] {
	const worth = new Map<string, FoundPassage>();
	for (const list of lists) {
		const counted = new Set<string>();
		for (const passage of list) {
			const key = normalised(passage.text);
			if (counted.has(key)) continue;
			counted.add(key);
			const score = 1 / (K + counted.size);
			const known = worth.get(key);
			if (known) known.score += score;
			else worth.set(key, { ...passage, score });
		}
	}
	return [...worth.values()].sort((a, b) => b.score - a.score);
}
