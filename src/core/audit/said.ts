import { type Fate, holdsWords } from "../block/lost.ts";
import { withoutPastes } from "../state/own-text.ts";
import { isShellLine, type Message, type SessionState } from "../state/session-state.ts";
import { withdrawalsOf } from "../state/withdrawals.ts";
import { NOD, wordsFor } from "../text/acts.ts";
import { COMMON, DENIAL, tellingWords, weightOf, wordsOf } from "../text/telling-words.ts";
import { normalised } from "../text/text.ts";

/** What the user said in so many words: a message, or the words given with a decision. */
export interface Said {
	kind: "message" | "decision";
	text: string;
	order: number;
	/** Sentences of it that were taken back. */
	taken: string[];
}

/** All that the user said, each thing once, in order: no commands, and nothing that says nothing by itself ("go on", one word). */
export function saidIn(state: SessionState): Said[] {
	const { messages, decisions } = state;
	const withdrawals = withdrawalsOf(state);
	const said = new Map<string, Said>();
	for (const message of messages) {
		const taken = (withdrawals.get(message) ?? []).map(({ directive }) => directive);
		const text = isSaid(message, taken.length) ? spokenOf(message) : "";
		if (text) said.set(normalised(text), { kind: "message", text, order: message.order, taken });
	}
	for (const { words, order } of decisions)
		if (saysSomething(words) && !said.has(normalised(words)))
			said.set(normalised(words), { kind: "decision", text: words, order, taken: [] });
	return [...said.values()].sort((a, b) => a.order - b.order);
}

/** A message without the slash command it was typed behind; ccg's own commands are asked of ccg. */
const spokenOf = ({ text }: Message): string => text.replace(/^\/[\w:.-]+(?=\s|$)\s*/, "");

const isSaid = (message: Message, taken: number): boolean => {
	const { text, directives } = message;
	if (isShellLine(message) || /^\/ccg\b/.test(text)) return false;
	const spoken = spokenOf(message);
	return directives.length > taken ? tellingWords(spoken).length > 0 : saysSomething(spoken);
};

/** More than an answer of a word or two, or a nod. */
function saysSomething(text: string): boolean {
	const words = wordsOf(text);
	const telling = tellingWords(text);
	if (telling.length < 2 || (words.length < 3 && telling.length < 4)) return false;
	return words.length > 7 || telling.some((word) => !NODS.has(word));
}
/** Stems of what is said to let somebody go on. */
const NODS = new Set(wordsFor(NOD).split("|").flatMap(tellingWords));

type SoughtText = ReturnType<typeof soughtText>;

/** A place is so many words side by side. */
const PLACE_WORDS = 40;
const LEAST_WORDS = 12;
/** What Claude Code writes behind a summary. */
const HOSTS_NOTE = "\nIf you need specific details from before compaction";
/** What forbids a change in other words: "stays as it is", "only", "untouched". */
const KEEPS = /^(?:keeps?|kept|leaves?|left|stays?|remains?|only|except|un[a-z]{4,})$/;
/** Forbids what stands behind it alone: "push without asking". */
const ONLY_BEHIND = ["without", "no", "none", "nothing"];

/** A summary prepared for many look-ups: the telling words of its places, and of what in them is forbidden or kept as it is. */
export function soughtText(whole: string) {
	const text = whole.split(HOSTS_NOTE)[0]!;
	const places: Set<string>[] = [];
	const forbidden: Set<string>[] = [];
	const all: string[] = [];
	for (const sentence of text.split(/[.!?;]\s|\n/)) {
		const clauses = sentence.split(/,\s/).map(wordsOf);
		const words = clauses.flat();
		all.push(...words);
		let begin = 0;
		for (const clause of clauses) {
			const at = clause.findIndex((word) => DENIAL.test(word) || KEEPS.test(word));
			const from = begin + (at >= 0 && ONLY_BEHIND.includes(clause[at]!) ? at : 0);
			if (at >= 0) forbidden.push(new Set(words.slice(from, from + PLACE_WORDS).flatMap(tellingWords)));
			begin += clause.length;
		}
	}
	for (let from = 0; from < all.length; from += PLACE_WORDS / 4)
		places.push(new Set(all.slice(from, from + PLACE_WORDS).flatMap(tellingWords)));
	return {
		normalised: normalised(text),
		places,
		forbidden,
		/** `null` where it is too short to tell. */
		isEnglish: isEnglish(text) || (all.length < LEAST_WORDS ? null : false),
	};
}

/** Share of a sentence's telling words that must be there. */
const KEPT = 0.55;
/** Share of a message that must be kept: of two things said one may be missing. */
const PART = 0.4;
/** Of a longer text a summary tells the point: as much as a plain sentence weighs. */
const LONG = 1_000;
const LONG_WEIGHT = 30;

/**
 * What became in a summary of what the user said: word for word, in other words, or dropped. `null` where that can't be told: nothing
 * in it says anything by itself, or it is in another language than the summary. In doubt it is
 * kept: most of its telling words stand in one place, sentence by sentence, and what forbids still does. `taken`: sentences taken back.
 */
export function saidFate(said: string, summary: SoughtText, taken: readonly string[] = []): Fate | null {
	if (holdsWords(summary.normalised, normalised(said))) return "verbatim";
	const text = withoutPastes(said);
	const sentences = text
		.split(/(?<=[.!?;])\s+|(?<=[。！？；])|\n+/u)
		.filter((sentence) => !taken.some((one) => sentence.includes(one)));
	if (isQuoted(sentences, summary)) return "reworded";
	let [all, kept] = [0, 0];
	for (const sentence of sentences) {
		const { weight, share } = sentenceShare(sentence, summary);
		all += weight;
		if (share >= KEPT) kept += weight;
	}
	if (all === 0) return null;
	if (kept >= Math.min(all * PART, text.length > LONG ? LONG_WEIGHT : Infinity)) return "reworded";
	return isEnglish(text) === (summary.isEnglish ?? isEnglish(text)) ? "dropped" : null;
}

/** Whether the summary quotes how it begins, as it does with what it cuts: the first words that say something. */
function isQuoted(sentences: readonly string[], { normalised: text }: SoughtText): boolean {
	const first = sentences.find((sentence) => tellingWords(sentence).length > 0) ?? "";
	const begun = normalised(first).split(" ").slice(0, QUOTED).join(" ");
	return begun.length >= 24 && tellingWords(begun).length >= 2 && holdsWords(text, begun);
}
const QUOTED = 8;

/** What a sentence weighs, 0 where it says nothing by itself ("ok go"), and how much of it stands in one place of the summary. */
function sentenceShare(sentence: string, { places, forbidden }: SoughtText): { weight: number; share: number } {
	const units = [
		...new Map(
			wordsOf(sentence)
				.flatMap(unitsOf)
				.map((forms) => [forms[0]!, forms]),
		).values(),
	];
	const weight = units.reduce((sum, [one]) => sum + weighed(one!), 0);
	const heldIn = (place: ReadonlySet<string>): number =>
		units.reduce((sum, forms) => sum + (forms.some((one) => place.has(one)) ? weighed(forms[0]!) : 0), 0);
	const best = (FORBIDS.test(sentence) ? forbidden : places).reduce((most, place) => Math.max(most, heldIn(place)), 0);
	return { weight, share: weight && best / weight };
}

/** Each telling part of a word with the forms it may have: a path may be told by its last part. */
function unitsOf(word: string): string[][] {
	const forms = tellingWords(word);
	return forms[0] && weightOf(forms[0]) < 1 ? forms.map((one) => [one]) : forms.length ? [forms] : [];
}

/** By its length, as rare words are long; names and numbers are what nobody can guess. */
const weighed = (word: string): number => (weightOf(word) > 1 ? 10 : weightOf(word) < 1 ? 3 : Math.min(word.length, 8));

/** A sentence that forbids; one that tells of a failure ("it does not start") is none. */
const FORBIDS =
	/^[\s>*-]*(?:(?:please|and|but|also|so)\b[,\s]*)?(?:never|no|not|don['’]?t|do not|without)\b|\b(?:never|must not|mustn['’]t)\b/i;

/** Of the words of a text some are such as stand in any English one, and no letter of another script or with a mark. */
export function isEnglish(text: string): boolean {
	const words = [...new Set(wordsOf(text))];
	const common = words.filter((word) => COMMON.has(word) || DENIAL.test(word)).length;
	return common >= words.length * 0.12 && !/(?![A-Za-z])\p{L}/u.test(text.slice(0, 2_000));
}
