import { knownSafe, redactSecrets, type Safe } from "../core/redact/secrets.ts";
import { quoteWithBars } from "../core/text/quoted.ts";
import { countWithNoun } from "../core/text/text.ts";
import { findProject } from "../store/project.ts";
import { findProjectFolder, requireStore } from "../store/session/place.ts";
import type { CommandContext } from "../store/session-handle.ts";
import { answerText, MAX_ANSWER, passageHeading } from "./answer.ts";
import { findPassages, isOfProjectAndSession, messagesInTime, passageReader, passagesAround } from "./find.ts";
import type { Meaning } from "./meaning.ts";
import type { Filter, FoundPassage } from "./passage.ts";
import { joinByRank, type Asker as Ranker, rankPassages } from "./ranking.ts";
import { countUnread, SearchIndex } from "./search-index.ts";
import { hasVectors, nearestPassages } from "./vectors.ts";
import { queryTime } from "./when.ts";
import { queryTerms, type Term } from "./words.ts";

/** Who asks, and how. */
export interface Asker extends Ranker {
	/** What is looked for, where semantic search is on. */
	meaning?: Meaning | null;
}

/** Passages near in meaning that are joined with those that hold the words. */
const NEAREST = 40;
/** Waited for a writer. */
const WAIT_MS = 2_000;

/** Who asks: the session that runs ccg, if any, and the project it began in, else that of the folder. */
export const askerOf = (place: CommandContext, now: Date): Asker => ({
	project: findProject(findProjectFolder(place)).key,
	session: place.env.CLAUDE_CODE_SESSION_ID ?? "",
	now,
});

/** Gives what `act` makes of the index. Where there is none yet `otherwise` answers, called with the reason; without it that is thrown. */
export function withIndex<T>(place: CommandContext, act: (index: SearchIndex) => T, otherwise?: (why: string) => T): T {
	const { root, onProblem } = requireStore(place);
	const result = SearchIndex.use(root, { create: false, waitMs: WAIT_MS, onProblem }, (index) => ({ of: act(index) }));
	if (result) return result.of;
	const why =
		"there is no search index yet: the end of a session's next turn makes it, or at once: ccg index --rebuild";
	if (!otherwise) throw new Error(why);
	return otherwise(why);
}

/**
 * Finds passages that hold the query's terms, best first; where semantic search is on, joined with those near in meaning. Gives also the terms
 * how many passages hold any (`matches`), and why none was found by its meaning, where that should have been tried (`problem`).
 */
export function searchPassages(index: SearchIndex, query: string, asker: Asker, given?: Filter) {
	const filter = given ?? { project: asker.project };
	const asked = queryTime(query, asker.now);
	const read = passageReader(index);
	const { since = 1, until = Infinity } = filter;
	const time = asked && { ...filter, since: Math.max(asked.since, since), until: Math.min(asked.until, until) };
	const terms = queryTerms(asked?.words ?? query);
	const find = (wanted: Filter): FoundPassage[] => findPassages(index, read, terms, wanted);
	const isDay = asked !== null && asked.until - asked.since <= DAY;
	const inTime = time ? [...find(time), ...(isDay ? messagesInTime(index, time) : [])] : [];
	const matching = rankPassages([...find(filter), ...inTime], asker, time);
	const near = asker.meaning ? findByMeaning(index, asker.meaning, filter) : [];
	const problem = typeof near === "string" ? near : null;
	const found = typeof near === "string" || !asker.meaning ? matching : joinByRank(matching, near);
	return { found, read, terms, matches: matching.length, problem };
}

/** Seconds of the longest day. */
const DAY = 25 * 3_600;

/** The passages nearest in meaning, or a text that says why there are none. */
function findByMeaning(index: SearchIndex, meaning: Meaning, filter: Filter): FoundPassage[] | string {
	if ("why" in meaning) return `semantic search ${meaning.why}: text alone`;
	const { model } = meaning;
	if (!hasVectors(index, model))
		return `no passage has a vector of ${model} yet, text alone: ccg index --embed makes them`;
	try {
		return nearestPassages(index, meaning, filter, NEAREST);
	} catch (error) {
		// SQLite's own failures are the index's
		if ("code" in (error as object)) throw error;
		return `semantic search ${(error as Error).message}: text alone`;
	}
}

/** The answer of `ccg recall` and the MCP server to a query: at most 4,000 characters; it says so where nothing was found. */
export function recallText(index: SearchIndex, query: string, asker: Asker, given?: Filter): Safe {
	const filter = given ?? { project: asker.project };
	const { found, read, terms, matches, problem } = searchPassages(index, query, asker, filter);
	const firstLine =
		matches === 0 && found.length > 0 ? `No passage holds: ${termList(terms, 200)}. Near in meaning:\n` : "";
	const notFound = terms.filter(({ isNotFound }) => isNotFound);
	const remarks = [matches > 0 && notFound.length > 0 && `no passage holds: ${termList(notFound, 200)}`, problem];
	const lastLines = remarks.map((remark) => (remark ? `\n(${remark})` : "")).join("");
	const text = answerText(index, read, found, terms, asker, MAX_ANSWER - firstLine.length - lastLines.length);
	if (!text) return redactSecrets(`${nothingFoundText(index, terms, filter)}${lastLines}`);
	return knownSafe`${redactSecrets(firstLine)}${text}${redactSecrets(lastLines)}`;
}

/** The terms as they were typed, in one text of at most `max` characters. */
const termList = (terms: readonly Term[], max: number): string =>
	terms
		.map(({ text }) => text)
		.join(", ")
		.slice(0, max);

/** A passage whole, below those before it and above those after it, only of the filter's kinds. `null` where there is none of that id. */
export function passageText(index: SearchIndex, id: string, asker: Asker, filter: Filter): string | null {
	const passages = Number.isSafeInteger(Number(id)) ? passagesAround(index, Number(id), filter.kinds) : [];
	const wanted = passages.findIndex((passage) => passage.id === Number(id));
	if (wanted < 0 || !isOfProjectAndSession(passages[wanted]!, filter)) return null;
	const parts = passages.map((one) => `${passageHeading(one, asker)}\n${quoteWithBars(one.text.trim())}`);
	let [from, to] = [wanted, wanted];
	let length = parts[wanted]!.length;
	// passages are added in turns, first one behind, then one before, as long as they fit
	for (let isBehind = true; from > 0 || to < parts.length - 1; isBehind = !isBehind) {
		const next = to < parts.length - 1 && (isBehind || from === 0) ? to + 1 : from - 1;
		length += parts[next]!.length + 1;
		if (length > MAX_ANSWER) break;
		if (next > to) to = next;
		else from = next;
	}
	return parts.slice(from, to + 1).join("\n");
}

/** Deletes sessions from the search index, where there is one, and overwrites what it held of them. Throws what SQLite says. */
export function forgetSessions(root: string, sessions: readonly string[]): void {
	SearchIndex.use(root, { create: false, waitMs: WAIT_MS }, (index) => {
		let found = 0;
		for (const session of sessions) found += index.drop("session", session);
		if (found > 0) index.tidy();
	});
}

/** The answer to a query for which nothing was found: how much was searched, and how much is not in the index yet. */
function nothingFoundText(index: SearchIndex, terms: readonly Term[], { project, ...options }: Filter): string {
	if (terms.length === 0)
		return "There is no word to look for; name what was said, done or seen: a file, an error, a decision.";
	const isAll = Object.values(options).every((option) => option === undefined);
	const { transcripts } = countUnread(index, project);
	const unread = `${countWithNoun(transcripts, "transcript is", "transcripts are")} not in the index yet: they are read within the hour, or at once with: ccg index --fill`;
	return [
		`Nothing in ${project === undefined ? "any project" : "this project"} holds: ${termList(terms, 600)}.`,
		`Looked through: ${isAll ? "" : "what the options leave of "}${indexSizeText(index.size(project))}.`,
		...(transcripts > 0 ? [unread] : []),
		"Try other words, best a name or the text of an error.",
	].join(" ");
}

/** How much the index holds, for people. */
export const indexSizeText = ({ passages, sessions }: ReturnType<SearchIndex["size"]>): string =>
	`${countWithNoun(passages, "passage")} of ${countWithNoun(sessions, "session")}`;
