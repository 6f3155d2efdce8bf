import { RULES_VERSION } from "../../core/redact/rules-version.ts";
import { rememberRedacted } from "../../core/redact/secrets.ts";
import { ANSWER, answerText, headOf, type Reader, type ShownPassage } from "../../core/search/answer.ts";
import type { FoundPassage } from "../../core/search/passage.ts";
import { ranked } from "../../core/search/ranking.ts";
import { queryTerms, type Term } from "../../core/search/words.ts";
import { barred } from "../../core/text/quoted.ts";
import type { SearchIndex } from "./search-index.ts";
import type { Filter } from "./search-query.ts";
import { lackOf } from "./unread.ts";

/** Who asks: the session and project whose passages come first. */
export interface Asker {
	project: string;
	session: string;
	now: Date;
	/** How the asker reads a passage whole. */
	reading?: string;
	/** Semantic search, where it is on. */
	meaning?: Meaning | null;
}

/** Semantic search for one question. */
export interface Meaning {
	/** Joins what was found by words with what is near in meaning. */
	join(index: SearchIndex, found: FoundPassage[], filter: Filter): FoundPassage[];
	/** Why the words alone were searched; `null` where they were not. */
	line: string | null;
}

/** What fits the words, best first, and the words as they were understood; `worded`: how many passages hold any of them. */
export function search(
	index: SearchIndex,
	words: string,
	asker: Asker,
	filter: Filter = { project: asker.project },
	most?: number,
): { found: FoundPassage[]; terms: Term[]; worded: number } {
	const terms = queryTerms(words);
	const { project, session, now, meaning } = asker;
	const found = ranked(index.find(terms, filter, most), terms, { project, session, now: now.getTime() / 1000 });
	return { found: meaning?.join(index, found, filter) ?? found, terms, worded: found.length };
}

/** What `ccg recall` and the MCP server answer: a text of at most 4,000 characters that says so where nothing was found. */
export const recall = (index: SearchIndex, words: string, asker: Asker, filter?: Filter): string =>
	recallShown(index, words, asker, filter).text;

/** The same, with the passages that the text shows. */
export function recallShown(
	index: SearchIndex,
	words: string,
	asker: Asker,
	filter?: Filter,
): { text: string; shown: ShownPassage[] } {
	const { found, terms, worded } = search(index, words, asker, filter);
	if (terms.length === 0)
		return {
			text: "There is no word to look for; name what was said, done or seen: a file, an error, a decision.",
			shown: [],
		};
	const asked = terms.map(({ text }) => text).join(", ");
	const before = worded === 0 && found.length > 0 ? `No passage holds: ${asked.slice(0, 200)}. Near in meaning:\n` : "";
	const behind = asker.meaning?.line ? `\n(${asker.meaning.line})` : "";
	const { text, shown } = answerText(found, terms, readerOf(asker), ANSWER - before.length - behind.length);
	const nothing = `Nothing in this project's sessions and notes holds: ${asked.slice(0, 600)}. Try other words, best a name or the text of an error.`;
	if (!text) return { text: `${nothing}${notYet(index)}${behind}`, shown };
	// the words asked for were not redacted before
	return { text: before || behind ? before + text + behind : known(text, found), shown };
}

/** What is not in the index yet can't be said not to be there. */
function notYet(index: SearchIndex): string {
	const { transcripts } = lackOf(index);
	return transcripts === 0
		? ""
		: ` ${transcripts === 1 ? "One transcript is" : `${transcripts} transcripts are`} not in the index yet: the end of each turn reads on, ccg index rebuild all at once.`;
}

/** A passage whole, with what came before and after it. `null` where there is none of that id. */
export function passageText(index: SearchIndex, id: string, asker: Asker, filter: Filter, most = 4_000): string | null {
	const passages = index.around(id, { before: 6, after: 6 });
	const at = passages?.findIndex((one) => one.id === id) ?? -1;
	if (!passages || at < 0 || !isAllowed(passages[at]!, filter)) return null;
	const reader = readerOf(asker);
	const parts = passages.map((one) => `${headOf(one, reader)}\n${barred(one.text)}`);
	let [from, to] = [at, at];
	let length = parts[at]!.length;
	// what came after tells how it went on: first one behind, then one before, as long as they fit
	for (let isBehind = true; from > 0 || to < parts.length - 1; isBehind = !isBehind) {
		const next = isBehind && to < parts.length - 1 ? to + 1 : from > 0 ? from - 1 : to + 1;
		if (length + parts[next]!.length + 1 > most) break;
		length += parts[next]!.length + 1;
		if (next > to) to = next;
		else from = next;
	}
	return known(parts.slice(from, to + 1).join("\n"), passages);
}

const isAllowed = ({ project }: FoundPassage, filter: Filter): boolean =>
	filter.project === undefined || project === "" || project === filter.project;

/** Whose answer it is, as its lines are worded. Times are UTC: a reader's own clock costs a start more than the search. */
export const readerOf = (
	{ session, reading = "ccg recall --more ID" }: Pick<Asker, "session" | "reading">,
	timeOf = utc,
): Reader => ({ session, reading, timeOf });

const utc = (seconds: number): string => `${new Date(seconds * 1000).toISOString().slice(0, 16).replace("T", " ")} UTC`;

/** What stands in the index redacted by these very rules passes the gates as it is. */
function known(text: string, found: readonly FoundPassage[]): string {
	if (found.every(({ rules }) => rules === RULES_VERSION)) rememberRedacted(text);
	return text;
}
