import { normalise } from "../core/text/text.ts";
import { compareAge, type Filter, type FoundPassage, isOfKindAndTime, KINDS } from "./passage.ts";
import { foldText, type Term } from "./words.ts";

/** Who asks: the session and project whose passages come first; `howToRead`: the call that prints a passage whole, else `recall --more ID`. */
export interface Asker {
	project: string;
	session: string;
	now: Date;
	howToRead?: string;
}

/** What it counts that a passage is of the time that was asked for: as much as all the words. */
const TIME_BONUS = 1;

/**
 * The passages sorted by their worth to the asker: how well they fit, whether they are of the time asked for, their kind, whether they are of
 * the asker's session or project; of two worth the same the newer first. Each text comes once.
 */
export const rankPassages = (found: readonly FoundPassage[], asker: Asker, time?: Filter | null): FoundPassage[] =>
	mergeCopies(
		found
			.map((one) => ({ ...one, score: one.score + (time && isOfKindAndTime(one, time) ? TIME_BONUS : 0) }))
			.map((one) => ({ ...one, score: one.score * passageWorth(one, asker) }))
			.sort((a, b) => b.score - a.score || compareAge(b, a)),
	);

/** How little the first ranks stand out: the value of the paper (Cormack, Clarke and Büttcher 2009), which others use as well. */
const RANK_OFFSET = 60;

/**
 * Joins lists of passages, each best first, by reciprocal rank: 1 / (60 + rank), summed over the lists a passage stands in. The same
 * text once; what stands equal comes in the order of the lists. `score` becomes that sum.
 */
export function joinByRank(...lists: readonly (readonly FoundPassage[])[]): FoundPassage[] {
	const joined = new Map<string, FoundPassage>();
	for (const list of lists)
		for (const [i, passage] of mergeCopies(list).entries()) {
			const key = normalise(passage.text);
			const known = joined.get(key) ?? { ...passage, score: 0 };
			const holdsNoTerm = known.holdsNoTerm === true && passage.holdsNoTerm === true;
			joined.set(key, { ...known, holdsNoTerm, score: known.score + 1 / (RANK_OFFSET + i + 1) });
		}
	return [...joined.values()].sort((a, b) => b.score - a.score);
}

/** Keeps one of the passages with the same text, in the place of the first: the newest, if possible not of an abandoned branch. */
function mergeCopies(passages: readonly FoundPassage[]): FoundPassage[] {
	return [...Map.groupBy(passages, ({ text }) => normalise(text)).values()].map((copies) => {
		const [best] = copies.toSorted((a, b) => Number(a.isAbandoned) - Number(b.isAbandoned) || compareAge(b, a));
		return { ...best!, score: copies[0]!.score };
	});
}

/** A factor: what a passage is worth to the asker by its kind, its session and project, and its branch. */
function passageWorth(passage: FoundPassage, { project, session }: Asker): number {
	const nearness = passage.session === session ? 1.15 : passage.project === project ? 1 : 0.8;
	return KINDS[passage.kind].worth * nearness * (passage.isAbandoned ? 0.5 : 1);
}

/** The sum of the terms' weights. */
export const totalWeight = (terms: Iterable<Term>): number =>
	[...terms].reduce((sum, { weight = 1 }) => sum + weight, 0);

/** The terms that a text holds. */
export function termsIn(text: string, terms: readonly Term[]): Set<Term> {
	const folded = foldText(text);
	return new Set(terms.filter(({ prefix, pattern }) => folded.includes(prefix) && pattern.test(folded)));
}
