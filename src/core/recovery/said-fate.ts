import { COMMON, DENIAL, tellingWords, weightOf, wordsOf } from "../text/telling-words.ts";
import { normalised } from "../text/text.ts";
import { withoutPastes } from "../transcript/spoken.ts";
import { type Fate, holdsWords } from "./loss.ts";

/** A text prepared for many look-ups: where each telling word stands, and each word that forbids or keeps as it is. */
export interface SoughtText {
	normalised: string;
	places: Map<string, number[]>;
	forbids: Forbids[];
	/** `null` where it is too short to tell. */
	isEnglish: boolean | null;
}

/** Where a word that forbids stands, and from which word to which it does so. */
interface Forbids {
	at: number;
	from: number;
	to: number;
}

export function soughtText(whole: string): SoughtText {
	const text = whole.split(HOSTS_NOTE)[0]!;
	const places = new Map<string, number[]>();
	const forbids: Forbids[] = [];
	let at = 0;
	for (const sentence of text.split(/[.!?;]\s|\n/)) {
		const clauses = sentence.split(/,\s/).map(wordsOf);
		const to = at + clauses.reduce((sum, { length }) => sum + length, 0);
		for (const words of clauses) {
			const begin = at;
			for (const word of words) {
				// what forbids stands before, or says of what is before that it may not be
				const isBehind = !/^(?:without|no|none|nothing)$/.test(word);
				if (DENIAL.test(word) || KEEPS.test(word)) forbids.push({ at, from: isBehind ? begin : at, to });
				for (const one of tellingWords(word)) {
					const known = places.get(one);
					if (!known) places.set(one, [at]);
					else if (known.length < MAX_PLACES) known.push(at);
				}
				at++;
			}
		}
	}
	return {
		normalised: normalised(text),
		places,
		forbids,
		isEnglish: isEnglish(text) || (at < LEAST_WORDS ? null : false),
	};
}
const LEAST_WORDS = 12;
/** What Claude Code writes behind a summary. */
const HOSTS_NOTE = "\nIf you need specific details from before compaction";
/** A word that stands this often is nowhere in particular. */
const MAX_PLACES = 400;
/** What forbids a change in other words: "stays as it is", "only", "untouched". */
const KEEPS = /^(?:keeps?|kept|leaves?|left|stays?|remains?|only|except|un[a-z]{4,})$/;

/**
 * What became in a summary of what the user said: word for word, in other words, or dropped. `null` where that can't be told: nothing
 * in it says anything by itself, or it is in another language than the summary. In doubt it is
 * kept: most of its telling words stand close together, sentence by sentence, and what forbids still does. `taken`: sentences taken back.
 */
export function saidFate(said: string, summary: SoughtText, taken: readonly string[] = []): Fate | null {
	if (holdsWords(summary.normalised, normalised(said))) return "verbatim";
	const text = withoutPastes(said);
	const sentences = text
		.split(/(?<=[.!?;])\s+|(?<=[。！？；])|\n+/u)
		.filter((sentence) => !taken.some((one) => sentence.includes(one)));
	if (isQuoted(sentences, summary)) return "reworded";
	const judged = sentences.map((sentence) => sentenceShare(sentence, summary)).filter((one) => one !== null);
	const all = judged.reduce((sum, { weight }) => sum + weight, 0);
	if (all === 0) return null;
	const kept = judged.filter(({ share }) => share >= KEPT);
	// of a long text a summary tells the point
	const needed = text.length > LONG ? Math.min(all * PART, LONG_WEIGHT) : all * PART;
	if (kept.reduce((sum, { weight }) => sum + weight, 0) >= needed) return "reworded";
	return isEnglish(text) === (summary.isEnglish ?? isEnglish(text)) ? "dropped" : null;
}
/** Share of a sentence's telling words that must be there. */
const KEPT = 0.55;
/** Share of a message that must be kept: of two things said one may be missing. */
const PART = 0.4;
const LONG = 1_000;
/** As much as a plain sentence weighs. */
const LONG_WEIGHT = 30;

/** Whether the summary quotes how it begins, as it does with what it cuts: the first words that say something. */
function isQuoted(sentences: readonly string[], { normalised: text }: SoughtText): boolean {
	const first = sentences.find((sentence) => tellingWords(sentence).length > 0) ?? "";
	const begun = normalised(first).split(" ").slice(0, QUOTED).join(" ");
	return begun.length >= 24 && tellingWords(begun).length >= 2 && holdsWords(text, begun);
}
const QUOTED = 8;

/** How much of a sentence stands in one place of the summary; `null` for one that says nothing by itself ("ok go"). */
function sentenceShare(sentence: string, { places, forbids }: SoughtText): { weight: number; share: number } | null {
	const words = wordsOf(sentence);
	const telling = new Map(words.flatMap(unitsOf).map((forms) => [forms[0]!, forms]));
	const units = [...telling.values()];
	if (units.length === 0) return null;
	const weights = units.map(([one]) => weighed(one!));
	const found = units
		.flatMap((forms, which) => forms.flatMap((one) => places.get(one) ?? []).map((at) => ({ at, which })))
		.sort((a, b) => a.at - b.at);
	const span = words.length * 2 + 8;
	const best = FORBIDS.test(sentence) ? bestForbidden(found, weights, span, forbids) : bestWindow(found, weights, span);
	const weight = weights.reduce((sum, one) => sum + one, 0);
	return { weight, share: best / weight };
}

/** Each telling part of a word with the forms it may have: a path may be told by its last part. */
function unitsOf(word: string): string[][] {
	const forms = tellingWords(word);
	return forms[0] && weightOf(forms[0]) < 1 ? forms.map((one) => [one]) : forms.length ? [forms] : [];
}

/** By its length, as rare words are long; names and numbers are what nobody can guess. */
const weighed = (word: string): number => (weightOf(word) > 1 ? 10 : weightOf(word) < 1 ? 3 : Math.min(word.length, 8));

/** The most that different words weigh which stand within `span`. */
function bestWindow(found: readonly { at: number; which: number }[], weights: readonly number[], span: number): number {
	const inside = new Array<number>(weights.length).fill(0);
	let [sum, first, best] = [0, 0, 0];
	for (const { at, which } of found) {
		if (inside[which]!++ === 0) sum += weights[which]!;
		for (; at - found[first]!.at > span; first++) {
			const left = found[first]!.which;
			if (--inside[left]! === 0) sum -= weights[left]!;
		}
		best = Math.max(best, sum);
	}
	return best;
}

/** The same of words that one near them forbids. */
function bestForbidden(
	found: readonly { at: number; which: number }[],
	weights: readonly number[],
	span: number,
	forbids: readonly Forbids[],
): number {
	let [begin, best] = [0, 0];
	for (const { at, from, to } of forbids) {
		while (begin < found.length && found[begin]!.at < at - span) begin++;
		const inside: { at: number; which: number }[] = [];
		for (let i = begin; i < found.length && found[i]!.at < Math.min(to, at + span); i++)
			if (found[i]!.at >= from) inside.push(found[i]!);
		if (inside.some((one) => Math.abs(one.at - at) <= NEAR)) best = Math.max(best, bestWindow(inside, weights, span));
	}
	return best;
}
/** How far from the other words one that forbids may stand. */
const NEAR = 6;
/** A sentence that forbids; one that tells of a failure ("it does not start") is none. */
const FORBIDS =
	/^[\s>*-]*(?:(?:please|and|but|also|so)\b[,\s]*)?(?:never|no|not|don['’]?t|do not|without)\b|\b(?:never|must not|mustn['’]t)\b/i;

/** Of the words of a text some are such as stand in any English one, and no letter of another script or with a mark. */
function isEnglish(text: string): boolean {
	const words = [...new Set(wordsOf(text))];
	const common = words.filter((word) => COMMON.has(word) || DENIAL.test(word)).length;
	return common >= words.length * 0.12 && !/(?![A-Za-z])\p{L}/u.test(text.slice(0, 2_000));
}
