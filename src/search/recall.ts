import { redactSecrets, type Safe, told } from "../core/redact/secrets.ts";
import { barred } from "../core/text/quoted.ts";
import { projectOf } from "../store/project.ts";
import { projectFolderOf, storeOf } from "../store/session/place.ts";
import type { Place } from "../store/session-handle.ts";
import { ANSWER, answerText, headOf } from "./answer.ts";
import { findPassages, lastRunAt, lastSaid, passageReader, passagesAround, type Read, saidIn } from "./find.ts";
import type { Meaning } from "./meaning.ts";
import { nothingText } from "./nothing.ts";
import type { Filter, FoundPassage } from "./passage.ts";
import { joinByRank, type Asker as Ranker, rankPassages } from "./ranking.ts";
import { SearchIndex } from "./search-index.ts";
import { hasVectors, nearest } from "./vectors.ts";
import { type Asked, asksOrder, timeIn } from "./when.ts";
import { queryTerms } from "./words.ts";

/** Who asks, and how. */
export interface Asker extends Ranker {
	/** What is looked for, where semantic search is on. */
	meaning?: Meaning | null;
}

/** Passages near in meaning that are joined with those that hold the words. */
const NEAREST = 40;
/** Waited for a writer. */
const WAIT_MS = 2_000;

/** Who asks: in a session that session and the project it began in, else the project of the folder. */
export const askerOf = (place: Place, now: Date): Asker => ({
	project: projectOf(projectFolderOf(place)).key,
	session: place.env.CLAUDE_CODE_SESSION_ID ?? "",
	now,
});

/** Runs `act` with the index. Where there is none yet `without` answers, else it throws. */
export function withIndex<T>(place: Place, act: (index: SearchIndex) => T, without?: (why: string) => T): T {
	const { root, tell } = storeOf(place);
	const result = SearchIndex.use(root, { create: false, waitMs: WAIT_MS, tell }, (index) => ({ of: act(index) }));
	if (result) return result.of;
	const why =
		"there is no search index yet: the end of a session's next turn makes it, or at once: ccg index --rebuild";
	if (!without) throw new Error(why);
	return without(why);
}

/**
 * What fits the words, best first; where semantic search is on, joined with what is near in meaning. With the words as they were understood,
 * how many passages hold any of them (`worded`), and why nothing was looked for by its meaning, where it should have been (`lack`).
 */
export function search(
	index: SearchIndex,
	words: string,
	asker: Asker,
	filter: Filter = { project: asker.project },
	most?: number,
) {
	const asked = timeIn(words, asker.now);
	const read = passageReader(index);
	const time = asked && timeFilter(index, read, asked, asker, filter);
	const terms = queryTerms(asked && time ? asked.words : words, time === null);
	const isShort = time !== null && (terms.length === 0 || (time.until ?? Infinity) - (time.since ?? 0) <= DAY);
	const find = (of: Filter): FoundPassage[] => findPassages(index, read, terms, of, most);
	const inTime = time ? [...find(time), ...(isShort ? saidIn(index, time, most) : [])] : [];
	const worded = rankPassages([...find(filter), ...inTime], asker, time);
	const near = asker.meaning ? nearIn(index, asker.meaning, filter) : null;
	const [found, lack] = typeof near === "string" ? [worded, near] : [near ? joinByRank(worded, near) : worded, null];
	const isInOrder = asksOrder(words) || (time !== null && terms.length === 0);
	return { found, read, terms, worded: worded.length, lack, isInOrder };
}

/** Seconds of the longest day. */
const DAY = 25 * 3_600;

/** The filter held to the time that was asked for; `null` where that is not known for sure. */
function timeFilter(
	index: SearchIndex,
	read: Read,
	{ since = 0, until, event }: Asked,
	asker: Asker,
	filter: Filter,
): Filter | null {
	const isBefore = event?.side === "before";
	if (event && /^compact(?:ed|ion|ing)?$/.test(event.name))
		return asker.session ? { ...filter, session: asker.session, compaction: event.side } : null;
	const ran = event ? lastRunAt(index, read, event.name, filter) : null;
	if (event && ran === null) return null;
	const [from, to] = event ? (isBefore ? [0, ran! - 1] : [ran! + 1, Infinity]) : [since, until ?? Infinity];
	// what is of no known time is not before any
	return { ...filter, since: Math.max(from, filter.since ?? 1), until: Math.min(to, filter.until ?? Infinity) };
}

/** What is near in meaning, or why nobody looked. */
function nearIn(index: SearchIndex, meaning: Meaning, filter: Filter): FoundPassage[] | string {
	if ("why" in meaning) return `semantic search ${meaning.why}: text alone`;
	const { model, vector } = meaning;
	if (!hasVectors(index, model))
		return `no passage has a vector of ${model} yet, text alone: ccg index --embed makes them`;
	try {
		return nearest(index, model, vector, filter, NEAREST);
	} catch (error) {
		// SQLite's own failures are the index's
		if ("code" in (error as object)) throw error;
		return `semantic search ${(error as Error).message}: text alone`;
	}
}

/** What `ccg recall` and the MCP server answer: a text of at most 4,000 characters that says so where nothing was found, and the passages it shows. */
export function recallShown(
	index: SearchIndex,
	words: string,
	asker: Asker,
	filter: Filter = { project: asker.project },
): { text: Safe; shown: FoundPassage[] } {
	// what the user has just asked holds the words that are looked for, and stands before the asker's eyes; a long message may not
	const last = asker.session ? lastSaid(index, passageReader(index), asker.session) : null;
	const without = last && last.text.length < 400 ? last.id : undefined;
	const { found, read, terms, worded, lack, isInOrder } = search(index, words, asker, { ...filter, without });
	// a time may be all that is asked for
	const looked = terms.length > 0 ? terms : queryTerms(words);
	const asked = looked.map(({ text }) => text).join(", ");
	const before = worded === 0 && found.length > 0 ? `No passage holds: ${asked.slice(0, 200)}. Near in meaning:\n` : "";
	const nowhere = terms.flatMap(({ text, isNowhere }) => (isNowhere ? text : []));
	const lacking = [worded > 0 && nowhere.length > 0 && `no passage holds: ${nowhere.join(", ").slice(0, 200)}`, lack];
	const behind = lacking.map((one) => (one ? `\n(${one})` : "")).join("");
	const { text, shown } = answerText(index, read, found, terms, asker, {
		most: ANSWER - before.length - behind.length,
		isInOrder,
	});
	if (!text) return { text: redactSecrets(`${nothingText(index, looked, filter)}${behind}`), shown };
	return { text: told`${redactSecrets(before)}${text}${redactSecrets(behind)}`, shown };
}

/** A passage whole, with what came before and after it, of the filter's kinds where it has some. `null` where there is none of that id. */
export function passageText(index: SearchIndex, id: string, asker: Asker, filter: Filter): string | null {
	const passages = /^\d{1,15}$/.test(id) ? passagesAround(index, Number(id), filter.kinds) : [];
	const at = passages.findIndex((one) => one.id === Number(id));
	if (at < 0 || !isAllowed(passages[at]!, filter)) return null;
	const parts = passages.map((one) => `${headOf(one, asker)}\n${barred(one.text.trim())}`);
	let [from, to] = [at, at];
	let length = parts[at]!.length;
	// what came after tells how it went on: first one behind, then one before, as long as they fit
	for (let isBehind = true; from > 0 || to < parts.length - 1; isBehind = !isBehind) {
		const next = to < parts.length - 1 && (isBehind || from === 0) ? to + 1 : from - 1;
		length += parts[next]!.length + 1;
		if (length > ANSWER) break;
		if (next > to) to = next;
		else from = next;
	}
	return parts.slice(from, to + 1).join("\n");
}

const isAllowed = ({ project }: FoundPassage, filter: Filter): boolean =>
	filter.project === undefined || project === "" || project === filter.project;

/** Takes sessions out of the search index, where there is one; what stood in it is overwritten. Throws what SQLite says. */
export function forgetSessions(root: string, sessions: readonly string[]): void {
	SearchIndex.use(root, { create: false, waitMs: WAIT_MS }, (index) => {
		let found = 0;
		for (const session of sessions) found += index.drop("session", session);
		if (found > 0) index.tidy();
	});
}
