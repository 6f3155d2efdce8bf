import { normalise } from "../core/text/text.ts";
import { compareAge, type Filter, type FoundPassage, isAskedFor, KINDS } from "./passage.ts";
import { foldText, type Term } from "./words.ts";

/** Who asks: the session and project whose passages come first; `reading` is how a passage is read whole, `recall --more ID` where nothing is said. */
export interface Asker {
	project: string;
	session: string;
	now: Date;
	reading?: string;
}

/** What it counts that a passage is of the time that was asked for: as much as all the words. */
const IN_TIME = 1;

/**
 * Passages by what they are worth to the asker: how well they fit, whether they are of the time asked for, their kind, the asker's own
 * session and project; of two worth the same the newer first. The same text once, left branches last.
 */
export const rankPassages = (found: readonly FoundPassage[], asker: Asker, time?: Filter | null): FoundPassage[] =>
	onceEach(
		found
			.map((one) => ({ ...one, score: one.score + (time && isAskedFor(one, time) ? IN_TIME : 0) }))
			.map((one) => ({ ...one, score: one.score * worthOf(one, asker) }))
			.sort((a, b) => b.score - a.score || compareAge(b, a)),
	);

/** How little the first ranks stand out: the value of the paper (Cormack, Clarke and Büttcher 2009), which others use as well. */
const K = 60;

/**
 * Joins lists of passages, each best first, by reciprocal rank: 1 / (60 + rank), summed over the lists a passage stands in. The same
 * text once; what stands equal comes in the order of the lists. `score` becomes that sum.
 */
export function joinByRank(...lists: readonly (readonly FoundPassage[])[]): FoundPassage[] {
	const joined = new Map<string, FoundPassage>();
	for (const list of lists)
		for (const [i, passage] of onceEach(list).entries()) {
			const key = normalise(passage.text);
			const known = joined.get(key) ?? { ...passage, score: 0 };
			const isBeside = known.isBeside === true && passage.isBeside === true;
			joined.set(key, { ...known, isBeside, score: known.score + 1 / (K + i + 1) });
		}
	return [...joined.values()].sort((a, b) => b.score - a.score);
}

/** Keeps of the passages that say the same only the newest that stands, in the place of the first. */
function onceEach(passages: readonly FoundPassage[]): FoundPassage[] {
	return [...Map.groupBy(passages, ({ text }) => normalise(text)).values()].map((all) => {
		const [newest] = all.toSorted((a, b) => Number(a.left) - Number(b.left) || compareAge(b, a));
		return { ...newest!, score: all[0]!.score };
	});
}

function worthOf({ kind, left, ...of }: FoundPassage, { project, session }: Asker): number {
	const near = of.session === session ? 1.15 : of.project === project ? 1 : 0.8;
	return KINDS[kind].worth * near * (left ? 0.5 : 1);
}

/** How much terms tell together. */
export const weightOf = (terms: Iterable<Term>): number => [...terms].reduce((sum, { weight = 1 }) => sum + weight, 0);

/** The terms that a text holds: a name's parts side by side whatever stands between, a word by its beginning, since endings differ. */
export function heldTerms(text: string, terms: readonly Term[]): Set<Term> {
	const low = foldText(text);
	return new Set(terms.filter(({ begin, form }) => low.includes(begin) && form.test(low)));
}
