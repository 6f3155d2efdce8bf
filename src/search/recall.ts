import { redactSecrets, type Safe, told } from "../core/redact/secrets.ts";
import { barred } from "../core/text/quoted.ts";
import { counted } from "../core/text/text.ts";
import { projectOf } from "../store/project.ts";
import { projectFolderOf, storeOf } from "../store/session/place.ts";
import type { Place } from "../store/session-handle.ts";
import { ANSWER, answerText, headOf } from "./answer.ts";
import { belongsTo, findPassages, passageReader, passagesAround, saidIn } from "./find.ts";
import type { Meaning } from "./meaning.ts";
import type { Filter, FoundPassage } from "./passage.ts";
import { joinByRank, type Asker as Ranker, rankPassages } from "./ranking.ts";
import { lackOf, SearchIndex } from "./search-index.ts";
import { hasVectors, nearest } from "./vectors.ts";
import { timeIn } from "./when.ts";
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
export function search(index: SearchIndex, words: string, asker: Asker, filter: Filter = { project: asker.project }) {
	const asked = timeIn(words, asker.now);
	const read = passageReader(index);
	const { since = 1, until = Infinity } = filter;
	const time = asked && { ...filter, since: Math.max(asked.since, since), until: Math.min(asked.until, until) };
	const terms = queryTerms(asked?.words ?? words);
	const find = (of: Filter): FoundPassage[] => findPassages(index, read, terms, of);
	const isDay = asked !== null && asked.until - asked.since <= DAY;
	const inTime = time ? [...find(time), ...(isDay ? saidIn(index, time) : [])] : [];
	const worded = rankPassages([...find(filter), ...inTime], asker, time);
	const near = asker.meaning ? nearIn(index, asker.meaning, filter) : null;
	const [found, lack] = typeof near === "string" ? [worded, near] : [near ? joinByRank(worded, near) : worded, null];
	return { found, read, terms, worded: worded.length, lack };
}

/** Seconds of the longest day. */
const DAY = 25 * 3_600;

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

/** What `ccg recall` and the MCP server answer: a text of at most 4,000 characters that says so where nothing was found. */
export function recallText(
	index: SearchIndex,
	words: string,
	asker: Asker,
	filter: Filter = { project: asker.project },
): Safe {
	const { found, read, terms, worded, lack } = search(index, words, asker, filter);
	const asked = terms.map(({ text }) => text).join(", ");
	const before = worded === 0 && found.length > 0 ? `No passage holds: ${asked.slice(0, 200)}. Near in meaning:\n` : "";
	const nowhere = terms.flatMap(({ text, isNowhere }) => (isNowhere ? text : []));
	const lacking = [worded > 0 && nowhere.length > 0 && `no passage holds: ${nowhere.join(", ").slice(0, 200)}`, lack];
	const behind = lacking.map((one) => (one ? `\n(${one})` : "")).join("");
	const room = ANSWER - before.length - behind.length;
	const text = answerText(index, read, found, terms, asker, room);
	if (!text) return redactSecrets(`${nothingText(index, terms, filter)}${behind}`);
	return told`${redactSecrets(before)}${text}${redactSecrets(behind)}`;
}

/** A passage whole, with what came before and after it, of the filter's kinds where it has some. `null` where there is none of that id. */
export function passageText(index: SearchIndex, id: string, asker: Asker, filter: Filter): string | null {
	const passages = Number.isSafeInteger(Number(id)) ? passagesAround(index, Number(id), filter.kinds) : [];
	const at = passages.findIndex((one) => one.id === Number(id));
	if (at < 0 || !belongsTo(passages[at]!, filter)) return null;
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

/** Takes sessions out of the search index, where there is one; what stood in it is overwritten. Throws what SQLite says. */
export function forgetSessions(root: string, sessions: readonly string[]): void {
	SearchIndex.use(root, { create: false, waitMs: WAIT_MS }, (index) => {
		let found = 0;
		for (const session of sessions) found += index.drop("session", session);
		if (found > 0) index.tidy();
	});
}

/** What is said of a search that found nothing: what was looked through, and what could not be. */
function nothingText(index: SearchIndex, terms: readonly Term[], { project, ...options }: Filter): string {
	if (terms.length === 0)
		return "There is no word to look for; name what was said, done or seen: a file, an error, a decision.";
	const asked = terms.map(({ text }) => text).join(", ");
	const isAll = Object.values(options).every((one) => one === undefined);
	const { transcripts } = lackOf(index, project);
	const unread = `${counted(transcripts, "transcript is", "transcripts are")} not in the index yet: they are read within the hour, or at once with: ccg index --fill`;
	return [
		`Nothing in ${project === undefined ? "any project" : "this project"} holds: ${asked.slice(0, 600)}.`,
		`Looked through: ${isAll ? "" : "what the options leave of "}${sizeText(index.size(project))}.`,
		...(transcripts > 0 ? [unread] : []),
		"Try other words, best a name or the text of an error.",
	].join(" ");
}

/** How much the index holds, for people. */
export const sizeText = ({ passages, sessions }: ReturnType<SearchIndex["size"]>): string =>
	`${counted(passages, "passage")} of ${counted(sessions, "session")}`;
