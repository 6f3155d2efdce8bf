import { normalised } from "../text/text.ts";
import type { FoundPassage, PassageKind } from "./passage.ts";
import type { Term } from "./words.ts";

/** What a passage of a kind is worth beside others that fit as well. */
const WORTH: Record<PassageKind, number> = {
	user: 1.25,
	unclear: 1,
	agent: 1.2,
	note: 1.2,
	task: 1.1,
	checkpoint: 0.9,
	failure: 1,
	call: 0.9,
	log: 0.9,
	file: 0.8,
};

/** What holding the words asked for counts beside BM25: measured on the exam, where 1 and 8 gave less. */
const COVERAGE = 4;
/** The same of its neighbours; 0.2 gave less. */
const BESIDE = 0.1;

export interface Asker {
	project: string;
	session: string;
	/** Unix seconds. */
	now: number;
}

/**
 * Passages by what they are worth to the asker: how well the words fit (BM25), how many of the words asked for stand in it, its
 * kind, the asker's own session and project, how new it is. The same text once, left branches last.
 */
export function ranked(found: readonly FoundPassage[], terms: readonly Term[], asker: Asker): FoundPassage[] {
	const best = Math.max(...found.map(({ score }) => score), 1e-9);
	const weigh = weights(found, terms);
	const seen = new Set<string>();
	const own = new Map(found.map((one) => [one.order, worth(one, one.score / best, weigh(one), asker)]));
	return found
		.map((passage) => ({ ...passage, score: own.get(passage.order)! + BESIDE * beside(own, passage.order) }))
		.sort((a, b) => b.score - a.score || b.at - a.at)
		.filter(({ text }) => {
			const key = normalised(text);
			return !seen.has(key) && seen.add(key);
		});
}

/** What the three passages before and after are worth: an answer stands beside what was asked. */
function beside(worth: ReadonlyMap<number, number>, order: number): number {
	let sum = 0;
	for (let distance = 1; distance <= 3; distance++)
		sum += ((worth.get(order - distance) ?? 0) + (worth.get(order + distance) ?? 0)) / distance;
	return sum;
}

function worth(passage: FoundPassage, fit: number, coverage: number, { project, session, now }: Asker): number {
	const ageDays = passage.at > 0 ? Math.max(0, now - passage.at) / 86_400 : 365;
	const near = passage.session === session ? 1.15 : passage.project === project ? 1 : 0.8;
	return (
		(fit + COVERAGE * coverage) * WORTH[passage.kind] * near * (1 + 0.1 / (1 + ageDays / 7)) * (passage.left ? 0.5 : 1)
	);
}

/** The share of the words asked for that a passage holds, those in few passages counting most. */
function weights(found: readonly FoundPassage[], terms: readonly Term[]): (passage: FoundPassage) => number {
	const held = new Map(found.map((passage) => [passage, heldTerms(passage.text, terms)]));
	const counts = terms.map((_, i) => found.filter((passage) => held.get(passage)!.has(i)).length);
	const weight = terms.map((term, i) => Math.log(1 + found.length / (1 + counts[i]!)) * (term.isName ? 1.5 : 1));
	for (const [i, term] of terms.entries()) term.weight = weight[i]!;
	const all = weight.reduce((sum, one) => sum + one, 0) || 1;
	return (passage) => [...held.get(passage)!].reduce((sum, i) => sum + weight[i]!, 0) / all;
}

/** Which terms a text holds: a name's parts side by side whatever stands between, a word by its beginning, since endings differ. */
export function heldTerms(text: string, terms: readonly Term[]): Set<number> {
	const low = text.toLowerCase();
	const held = new Set<number>();
	for (const [i, { words }] of terms.entries()) if (holds(low, words)) held.add(i);
	return held;
}

/** A shorter word is part of many others. */
const SHORT = 4;
/** `parse_document`, `parse document`, `a/b`: so much stands between a name's parts at most. */
const BETWEEN = 3;
const LETTER = /[\p{L}\p{N}]/u;

function holds(low: string, [first = "", ...rest]: readonly string[]): boolean {
	const needle = rest.length === 0 ? stem(first) : first;
	for (
		let at = low.indexOf(needle), tries = 0;
		at >= 0 && tries < MOST_TRIES;
		at = low.indexOf(needle, at + 1), tries++
	) {
		if (needle.length < SHORT && at > 0 && LETTER.test(low[at - 1]!)) continue;
		let end = at + needle.length;
		for (const word of rest) {
			end = endBehind(low, end, word);
			if (end <= 0) break;
		}
		if (end > 0) return true;
	}
	return false;
}

const MOST_TRIES = 200;

/** Where a word that stands right behind `from` ends; -1 where it does not. */
function endBehind(low: string, from: number, word: string): number {
	for (let at = from; at <= from + BETWEEN; at++) {
		if (low.startsWith(word, at)) return at + word.length;
		if (LETTER.test(low[at] ?? "a")) return -1;
	}
	return -1;
}

/** Without its ending, roughly. */
export const stem = (word: string): string =>
	word.length > 5
		? word.replace(/(?:ations?|ings?|ed|es|s|ly|ment)$/, "")
		: word.length > 3
			? word.replace(/s$/, "")
			: word;
