import { normalised } from "../core/text/text.ts";
import { type FoundPassage, KINDS } from "./passage.ts";
import type { Term } from "./words.ts";

/** What holding the words asked for counts beside BM25: measured on the exam, where 1 and 8 gave less. */
const COVERAGE = 4;
/** The same of its neighbours; 0.2 gave less. */
const BESIDE = 0.1;

/** Who asks: the session and project whose passages come first; `reading` is how a passage is read whole. */
export interface Asker {
	project: string;
	session: string;
	now: Date;
	reading?: string;
}

/**
 * Passages by what they are worth to the asker: how well the words fit (BM25), how many of the words asked for stand in it, its
 * kind, the asker's own session and project, how new it is. The same text once, left branches last. Weighs the terms.
 */
export function ranked(found: readonly FoundPassage[], terms: readonly Term[], asker: Asker): FoundPassage[] {
	const best = Math.max(...found.map(({ score }) => score), 1e-9);
	const coverageOf = coverage(found, terms);
	const worth = new Map(
		found.map((one) => [one.id, (one.score / best + COVERAGE * coverageOf(one)) * worthOf(one, asker)]),
	);
	return onceEach(
		found
			.map((passage) => ({ ...passage, score: worth.get(passage.id)! + BESIDE * beside(worth, passage.id) }))
			.sort((a, b) => b.score - a.score || b.at - a.at),
	);
}

/** How little the first ranks stand out: the value of the paper (Cormack, Clarke and Büttcher 2009), which others use as well. */
const K = 60;

/**
 * Joins lists of passages, each best first, by reciprocal rank: 1 / (60 + rank), summed over the lists a passage stands in. The same
 * text once; what stands equal comes in the order of the lists. `score` becomes that sum.
 */
export function fused(...lists: readonly (readonly FoundPassage[])[]): FoundPassage[] {
	const joined = new Map<string, FoundPassage>();
	for (const list of lists)
		for (const [i, passage] of onceEach(list).entries()) {
			const key = normalised(passage.text);
			const known = joined.get(key) ?? { ...passage, score: 0 };
			joined.set(key, { ...known, score: known.score + 1 / (K + i + 1) });
		}
	return [...joined.values()].sort((a, b) => b.score - a.score);
}

/** The first of those that say the same. */
function onceEach(passages: readonly FoundPassage[]): FoundPassage[] {
	const seen = new Set<string>();
	return passages.filter(({ text }) => {
		const key = normalised(text);
		return !seen.has(key) && seen.add(key);
	});
}

/** What the three passages before and after are worth: an answer stands beside what was asked. */
function beside(worth: ReadonlyMap<number, number>, id: number): number {
	let sum = 0;
	for (let distance = 1; distance <= 3; distance++)
		sum += ((worth.get(id - distance) ?? 0) + (worth.get(id + distance) ?? 0)) / distance;
	return sum;
}

function worthOf({ at, kind, left, ...own }: FoundPassage, { project, session, now }: Asker): number {
	const ageDays = at > 0 ? Math.max(0, now.getTime() / 1000 - at) / 86_400 : 365;
	const near = own.session === session ? 1.15 : own.project === project ? 1 : 0.8;
	return KINDS[kind].worth * near * (1 + 0.1 / (1 + ageDays / 7)) * (left ? 0.5 : 1);
}

/** The share of the words asked for that a passage holds, those in few passages counting most. */
function coverage(found: readonly FoundPassage[], terms: readonly Term[]): (passage: FoundPassage) => number {
	const held = new Map(found.map((passage) => [passage, heldTerms(passage.text, terms)]));
	for (const term of terms) {
		const count = found.filter((passage) => held.get(passage)!.has(term)).length;
		term.weight = Math.log(1 + found.length / (1 + count)) * (term.isName ? 1.5 : 1);
	}
	const all = weightOf(terms) || 1;
	return (passage) => weightOf(held.get(passage)!) / all;
}

/** How much terms tell together. */
export const weightOf = (terms: Iterable<Term>): number => [...terms].reduce((sum, { weight = 1 }) => sum + weight, 0);

/** The terms that a text holds: a name's parts side by side whatever stands between, a word by its beginning, since endings differ. */
export function heldTerms(text: string, terms: readonly Term[]): Set<Term> {
	const low = text.toLowerCase();
	return new Set(terms.filter(({ begin, form }) => low.includes(begin) && form.test(low)));
}
