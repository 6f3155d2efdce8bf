import { withoutEnd } from "../text/without-end.ts";
import { NOT, noteWords } from "./note-words.ts";

/** What a sentence of a note says of something. */
export interface Statement {
	/** What it is said of, as it is compared. */
	key: string;
	/** The same in the note's words. */
	about: string;
	value: string;
	/** The value's words, as they are compared. */
	words: string[];
	isNegated: boolean;
}

const MAX_SENTENCES = 12;
const MAX_SENTENCE = 400;
/** A longer subject is no key. */
const MAX_SUBJECT = 8;

/** The statements of a note, at most a few of each sentence. */
export function statementsIn(text: string): Statement[] {
	const sentences = text
		.slice(0, 8_000)
		.split(/\n|[.;!?](?=\s)/)
		.map((one) =>
			one
				.replace(/^\s*(?:[-*+]|\d{1,9}[.)])\s+/, "")
				.replace(/\*\*|__/g, "")
				.replace(/\s+/g, " ")
				.trim(),
		)
		.map((one) => withoutEnd(one, ".;!?,"))
		.filter((one) => one !== "" && one.length <= MAX_SENTENCE);
	return sentences.slice(0, MAX_SENTENCES).flatMap((one) => {
		const said = useOf(one) ?? pairOf(one) ?? verbOf(one);
		return [...(said ? [said] : []), ...numbersOf(one), ...negationOf(one)];
	});
}

/** "use X for Y". */
function useOf(sentence: string): Statement | null {
	const words = sentence.split(" ");
	const use = words.findIndex((word) => /^(?:use|prefer|choose|pick)$/i.test(word));
	if (use < 0 || use > 3) return null;
	const link = words.findIndex((word, i) => i > use + 1 && /^(?:for|as|to|when)$/i.test(word));
	if (link < 0) return null;
	const purpose = words.slice(link + 1).join(" ");
	const isNegated = noteWords(words.slice(0, use).join(" ")).some(({ key }) => key === NOT);
	return statement("use", purpose, words.slice(use + 1, link).join(" "), isNegated);
}

/** "X: Y", "X = Y", "X -> Y". */
function pairOf(sentence: string): Statement | null {
	const sign = /: | = | -> | => | → /.exec(sentence);
	if (!sign) return null;
	const subject = sentence.slice(0, sign.index);
	return LABEL.test(subject) ? null : statement("is", subject, sentence.slice(sign.index + sign[0].length));
}

/** What stands before a colon in any note. */
const LABEL =
	/^\W*(?:note|nb|todo|warning|caution|important|careful|fix|fixed|bug|hint|tip|decision|decided|example|e\.g|remember|idea|question|answer|reason|why|how|rule|done|next|see|also|https?)\W*$/i;

const BE = /^(?:is|are|equals)$/i;
const VERB = /^(?:runs?|listens?|lives?|lies|defaults)$/i;
const LINK = /^(?:with|on|in|by|via|at|to|under|using)$/i;

/** "X is Y", "X runs with Y". */
function verbOf(sentence: string): Statement | null {
	const words = sentence.split(" ");
	const be = words.findIndex((word, i) => i > 0 && BE.test(word));
	const at = be > 0 ? be : words.findIndex((word, i) => i > 0 && VERB.test(word));
	if (at < 0) return null;
	const verb = at === be ? "is" : words[at]!.toLowerCase().replace(/s$/, "");
	let from = at + 1;
	const isNegated = /^(?:not|never)$/i.test(words[from] ?? "");
	if (isNegated) from++;
	const link = LINK.test(words[from] ?? "") ? words[from++]!.toLowerCase() : "";
	return statement(`${verb} ${link}`, words.slice(0, at).join(" "), words.slice(from).join(" "), isNegated);
}

function statement(kind: string, about: string, value: string, isNegated = false): Statement | null {
	const subject = noteWords(about).map(({ key }) => key);
	const words = noteWords(value).map(({ key }) => key);
	if (subject.length === 0 || subject.length > MAX_SUBJECT || words.length === 0) return null;
	const bare = words.filter((word) => word !== NOT);
	return {
		key: `${kind.trim()} ${subject.sort().join(" ")}`,
		about: about.trim(),
		value: value.trim(),
		words: bare,
		isNegated: isNegated || bare.length < words.length,
	};
}

/** The sentence with its numbers left open. */
function numbersOf(sentence: string): Statement[] {
	const words = noteWords(sentence).map(({ key }) => key);
	const numbers = words.filter((word) => /\p{N}/u.test(word));
	if (numbers.length === 0 || words.length - numbers.length < 2) return [];
	const open = words.map((word) => (numbers.includes(word) ? "#" : word));
	return [{ key: `# ${open.join(" ")}`, about: sentence, value: numbers.join(", "), words: numbers, isNegated: false }];
}

/** The sentence without its negation. */
function negationOf(sentence: string): Statement[] {
	const words = noteWords(sentence).map(({ key }) => key);
	const bare = words.filter((word) => word !== NOT);
	if (bare.length < 2) return [];
	const isNegated = bare.length < words.length;
	return [{ key: `not ${bare.join(" ")}`, about: sentence, value: sentence, words: [], isNegated }];
}
