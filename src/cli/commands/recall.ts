import { indexNotes } from "../../claude/machine/index-files.ts";
import { tryOrUndefined } from "../../files/quietly.ts";
import { embedQuery } from "../../search/meaning.ts";
import { type Filter, type FoundPassage, KINDS, type PassageKind } from "../../search/passage.ts";
import { type Asker, askerOf, passageText, recallText, searchPassages, withIndex } from "../../search/recall.ts";
import type { SearchIndex } from "../../search/search-index.ts";
import { requireStore } from "../../store/session/place.ts";
import { ALL, argument, badValue, type Flags, JSON_OUT, option, SINCE, type Spec, UNTIL } from "../support/command.ts";
import { type Io, WrongUse } from "../support/io.ts";
import { completeSessionId, isProjectBound, resolveSession } from "../support/place.ts";

interface Options extends Flags {
	more?: string;
	beforeCompaction?: boolean;
	kind?: PassageKind[];
}

export const recall: Spec = {
	about: "find what was said, done or seen before, in this project's sessions and notes",
	args: [argument("[words...]", "what to look for: names, the text of an error, a question")],
	options: [
		option("--more <id>", "one passage whole, with what came before and after it, of --kind where that is given"),
		ALL,
		option("--session <id>", "only this session, by its id or the beginning of it"),
		SINCE,
		UNTIL,
		option("--before-compaction", "only what came before the session's last compaction"),
		option("--kind <kinds>", `only these kinds, with commas: ${Object.keys(KINDS).join(", ")}`).argParser(parseKinds),
		JSON_OUT,
	],
	help: `
Answers in at most 4,000 characters: the passages that fit best, with who said it and when. A date in the words (2026-05-01, \
3 March, May 2026) puts what is of it first. It ends 0 also where nothing was found.

Examples:
  ccg recall why was the retry limit raised
  ccg recall what did we decide about retries on 3 March
  ccg recall --kind user,failure --since 7d --until 2d timeout
  ccg recall --before-compaction which port
  ccg recall --more 4711
  ccg recall --more 4711 --kind user,agent`,
	run: runRecall,
};

/** Parses the value of `--kind`: kinds of passages, separated by commas. */
function parseKinds(value: string): PassageKind[] {
	const kinds = value.split(",");
	const wrong = kinds.find((kind) => !Object.hasOwn(KINDS, kind));
	if (wrong !== undefined)
		throw badValue(`'${wrong}' is no kind of passage; there are ${Object.keys(KINDS).join(", ")}`);
	return kinds as PassageKind[];
}

const MAX_JSON_PASSAGES = 30;

/** Searches for the words, or with `--more` gives that passage whole. */
async function runRecall(io: Io, options: Options, words: readonly string[]) {
	const { more: passageId, json } = options;
	const query = words.join(" ");
	if (passageId === undefined && !query.trim())
		throw new WrongUse("name what to look for, as in: ccg recall lock timeout");
	const meaning = passageId === undefined ? await embedQuery(requireStore(io).root, io.env, query) : null;
	const asker: Asker = { ...askerOf(io, io.now()), meaning };
	const answerFrom = (index: SearchIndex) => {
		// (a note saved since the last turn ended is in no index yet; where that fails the answer only lacks it)
		tryOrUndefined(() => indexNotes(index, index.root, options.all ? undefined : asker.project));
		if (passageId !== undefined) return textAnswer(wholePassage(index, passageId, options, asker, io), io);
		const filter = recallFilter(index, options, asker, io);
		if (json) return recallJson(index, query, asker, filter, io);
		return textAnswer(recallText(index, query, asker, filter), io);
	};
	return withIndex(io, answerFrom, (why) => ({ json: [], text: `Nothing found: ${why}` }));
}

/** The answer that holds a text alone; printed as it is, since it quotes passages. */
const textAnswer = (text: string, io: Io) => ({ json: { text }, text: () => io.out(text) });

/** Gives the filter of passages that the options of `ccg recall` ask for. */
function recallFilter(index: SearchIndex, options: Options, asker: Asker, io: Io): Filter {
	const [since, until] = [options.since, options.until].map((at) => at && Math.floor(at(io.now()) / 1000));
	// looked up in the index, which also knows sessions that the store has deleted; `project` limits what is found
	const prefix = options.session;
	const session = prefix && completeSessionId(prefix, index.sessionsLike(prefix), "the index");
	const isBefore = options.beforeCompaction === true;
	return {
		project: options.all ? undefined : asker.project,
		session: session ?? (isBefore ? (asker.session ?? resolveSession(undefined, io).id) : undefined),
		kinds: options.kind,
		// a passage of no known time is not before `until`
		since: since ?? (until === undefined ? undefined : 1),
		until,
		compaction: isBefore ? "before" : undefined,
	};
}

/** Gives one passage and its surroundings as text. Throws where this project has none of that id. */
function wholePassage(index: SearchIndex, id: string, { kind: kinds }: Options, asker: Asker, io: Io): string {
	const text = passageText(index, id, asker, { kinds, project: isProjectBound(io) ? asker.project : undefined });
	if (text === null) throw new Error(`no passage '${id}' in this project; 'ccg recall WORDS' names those there are`);
	return text;
}

/** Gives the passages found, for `--json`; prints on stderr what the search could not do. */
function recallJson(index: SearchIndex, query: string, asker: Asker, filter: Filter, io: Io) {
	const { found, problem } = searchPassages(index, query, asker, filter);
	if (problem) io.err(`ccg: ${problem}`);
	return { json: found.slice(0, MAX_JSON_PASSAGES).map(passageJson), text: "" };
}

/** Gives the fields of a passage that `--json` prints. */
const passageJson = (passage: FoundPassage) => {
	const { id, kind, at, project, session, source, tool, path, text, isAbandoned: left, compaction, score } = passage;
	return { id, kind, at, project, session, source, tool, path, text, left, compaction, score };
};
