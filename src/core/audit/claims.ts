import { type Claim, type Ranked, unsupportedDeeds } from "../claims/deeds.ts";
import type { SessionState } from "../state/session-state.ts";
import { tellingWords } from "../text/telling-words.ts";
import { cut, oneLine } from "../text/text.ts";
import { isEnglish } from "./said.ts";

const MAX_CLAIMS = 5;

/**
 * What a summary says without support in the record: things said to be done, and words and approvals of the user's. The worst
 * first, five at most. Doubt is cheap and a wrong accusation is not: in doubt nothing is said.
 */
export const claimsIn = (summary: string, state: SessionState): Claim[] =>
	[...unsupportedDeeds(summary, state), ...attributedClaims(summary, state)]
		.sort((a, b) => a.rank - b.rank)
		.slice(0, MAX_CLAIMS)
		.map(({ rank: _, ...claim }) => claim);

const MAX_SUMMARY = 60_000;
const MAX_LINE = 4_000;
const MAX_QUOTES = 200;
const CUT = /\[…\d+ more characters\]$/;

const SAID =
	"(?:said|says|asked|wrote|stated|requested|replied|answered|insisted|noted|clarified|added|told me|confirmed|demanded|explained|reported)";
/** The user's words right behind what says that they are. */
const QUOTED = new RegExp(
	`\\buser(?:(?:['’]s (?:words|message|request|feedback|instruction|answer|reply))?[*_]{0,2}(?: (?:was|were|is))?:[*_]{0,2}|(?: (?:then|also|explicitly|clearly|later))? ${SAID}(?: that)?[:,]?) ?(?:"([^"\\n]{8,400})"|“([^”\\n]{8,400})”|«([^»\\n]{8,400})»|„([^“”\\n]{8,400})[“”]|「([^」\\n]{4,400})」)`,
	"giu",
);
const APPROVED =
	/\buser (?:has |explicitly )*(?:approved|confirmed|agreed to|signed off on|gave (?:the )?(?:approval|permission|go-ahead))\b([^.\n;]{0,80})/i;
const CONDITION = /\b(?:after|when|once|if|until|unless|before|whether|not|never|yet)\b|n['’]t\b/i;

/** Share of a quotation's words that stand somewhere: below it nobody said so, in whatever form. */
const KNOWN = 0.34;

/**
 * What a summary has the user say or approve of which next to no word stands anywhere in the record: neither the user's, nor the
 * agent's, nor in a command. Judged only where all of it was read, and approvals where all of it is English.
 */
function attributedClaims(summary: string, state: SessionState): Ranked[] {
	if (isIncomplete(state)) return [];
	const spoken = [...state.messages, ...state.prose, ...state.questions].map(({ text }) => text);
	let known: Set<string> | undefined;
	const share = (words: readonly string[]): number => {
		known ??= new Set([...spoken, ...recorded(state)].flatMap(beginningsOf));
		return words.filter((word) => known!.has(word)).length / words.length;
	};
	const found: Ranked[] = [];
	const add = (sentence: string, quote: string, says: string, rank: number): void =>
		void found.push({
			sentence: cut(sentence.trim(), 300),
			quote,
			finding: `no message of the user says ${says}`,
			rank,
		});
	let quotes = 0;
	for (const raw of summary.slice(0, MAX_SUMMARY).split("\n")) {
		if (!raw.toLowerCase().includes("user")) continue;
		const line = oneLine(raw).slice(0, MAX_LINE);
		for (const match of line.matchAll(QUOTED)) {
			if (quotes++ > MAX_QUOTES) return found;
			const quote = match.slice(1).find((one) => one !== undefined)!;
			const words = beginningsOf(quote);
			const sentence = sentenceAt(line, match.index, match.index + match[0].length);
			if (words.length > 1 && share(words) < KNOWN) add(sentence, quote, "these words", 2);
		}
		for (const sentence of line.split(/(?<=[.!?])\s/)) {
			const words = CONDITION.test(sentence) ? [] : beginningsOf(APPROVED.exec(sentence)?.[1] ?? "");
			if (words.length > 0 && share(words) === 0 && spoken.every(mayBeEnglish)) add(sentence, "", "so", 3);
		}
	}
	return found;
}

/** The sentence in which a quotation lies. */
function sentenceAt(line: string, from: number, to: number): string {
	const begin = Math.max(...[". ", "! ", "? "].map((end) => line.lastIndexOf(end, from) + 1));
	const rest = line.slice(to).search(/[.!?](?=\s)/);
	return line.slice(begin, rest < 0 ? undefined : to + rest + 1);
}

/** Not all that was said was read, or was kept. */
function isIncomplete({ messages, decisions, dropped, partial }: SessionState): boolean {
	const isCut = decisions.some(({ words, subject }) => CUT.test(words) || CUT.test(subject));
	return Boolean(partial || dropped.messages || dropped.decisions || isCut || messages.some((one) => one.cut));
}

/** What was decided, planned and done. */
const recorded = ({ decisions, tasks, commands, deeds = [], plan, lastSaid }: SessionState): string[] => [
	...decisions.flatMap(({ kind, subject, words }) => [kind, subject, words]),
	...tasks.map(({ subject }) => subject),
	...commands.map(({ command }) => command),
	...deeds.flatMap(({ kind, what }) => [kind, what]),
	plan?.text ?? "",
	lastSaid,
];

/** In other languages the same thing has other words; of a word or two nobody can tell. */
const mayBeEnglish = (text: string): boolean => /^[\x00-\x7f]{0,16}$/.test(text) || isEnglish(text);

/** Words by their beginnings, so that "pushing" and "pushed" are one. */
const beginningsOf = (text: string): string[] => tellingWords(text).map((word) => word.slice(0, 5));
