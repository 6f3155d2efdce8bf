import { DENIAL, isTelling, NAME, plain, stem, WORD } from "../text/telling-words.ts";
import { normalised } from "../text/text.ts";
import type { Item, Kind } from "./item.ts";

/** What the user said; of it only the very words spare an injection, whatever the report counts. */
export const STATEMENTS = new Set<Kind>(["request", "directive", "decision", "message"]);

/** A summary prepared for many look-ups: where each word's stem stands. */
export interface SummaryWords {
	stems: Map<string, number[]>;
	/** Places of words that deny, in order. */
	denials: number[];
}

export function summaryWords(summary: string): SummaryWords {
	const stems = new Map<string, number[]>();
	const denials: number[] = [];
	let at = 0;
	for (const [word] of normalised(plain(summary)).matchAll(WORD)) {
		if (DENIAL.test(word)) denials.push(at);
		const places = stems.get(stem(word));
		if (places) places.push(at);
		else stems.set(stem(word), [at]);
		at++;
	}
	return { stems, denials };
}

/**
 * Whether a summary says in its own words what an item says: of each sentence most of the telling words stand close together,
 * every name and number among them, and a "never" or "not" is still one. For counting only: what a model may take for a
 * remark of its own is no directive any more, so injection goes by the very words (`isLost`).
 */
export function keptInOwnWords(item: Item, summary: SummaryWords): boolean {
	const said = item.words ?? item.text;
	if (said.length > LONGEST) return false;
	const judged = sentencesOf(said).map((sentence) => sentenceKept(sentence, summary));
	return judged.includes(true) && !judged.includes(false);
}

/** Longer texts are taken up in parts, which says nothing of the whole. */
const LONGEST = 2_000;

/** `null` for a sentence that says nothing by itself ("ok go"). */
function sentenceKept(sentence: string, { stems, denials }: SummaryWords): boolean | null {
	const words = normalised(plain(sentence)).match(WORD) ?? [];
	const telling = [...new Set(words.filter(isTelling).map(stem))];
	if (telling.length === 0) return null;
	// one word alone is found in any text
	if (telling.length === 1) return false;
	const names = new Set(words.filter((word) => NAME.test(word)).map(stem));
	for (const name of names) if (!stems.has(name)) return false;
	const needed = Math.max(2, Math.ceil(telling.length * MOST));
	const span = words.length * 2 + 8;
	const found = telling
		.flatMap((one, which) => (stems.get(one) ?? []).map((at) => ({ at, which, isName: names.has(one) })))
		.sort((a, b) => a.at - b.at);
	const denies = words.some((word) => DENIAL.test(word));
	return hasWindow(found, { needed, span, names: names.size, of: telling.length, denials: denies ? denials : null });
}

interface FoundWords {
	at: number;
	which: number;
	isName: boolean;
}

/** Slides over the places, from the first to the last, and looks whether enough different words stand within `span`. */
function hasWindow(
	found: readonly FoundWords[],
	{
		needed,
		span,
		names,
		of,
		denials,
	}: { needed: number; span: number; names: number; of: number; denials: number[] | null },
): boolean {
	const inside = new Array<number>(of).fill(0);
	let [different, named, first, denial] = [0, 0, 0, 0];
	for (const { at, which, isName } of found) {
		if (inside[which]!++ === 0) {
			different++;
			if (isName) named++;
		}
		for (; at - found[first]!.at > span; first++) {
			const left = found[first]!;
			if (--inside[left.which]! > 0) continue;
			different--;
			if (left.isName) named--;
		}
		if (different < needed || named < names) continue;
		if (!denials) return true;
		// a word that denies stands before what it denies
		while (denial < denials.length && denials[denial]! < found[first]!.at - BEFORE) denial++;
		if (denial < denials.length && denials[denial]! <= at) return true;
	}
	return false;
}

/** Share of the telling words that must be there. */
const MOST = 0.6;
/** How far before the other words a denial may stand. */
const BEFORE = 4;

const sentencesOf = (text: string): string[] => text.split(/(?<=[.!?;])\s+|\n+/).filter((part) => part.trim() !== "");
