import { indexNotes } from "../../claude/machine/index-files.ts";
import { quietly } from "../../files/quietly.ts";
import { askMeaning } from "../../search/meaning.ts";
import { type Filter, type FoundPassage, KINDS, type PassageKind } from "../../search/passage.ts";
import { type Asker, askerOf, passageText, recallText, search, withIndex } from "../../search/recall.ts";
import type { SearchIndex } from "../../search/search-index.ts";
import { storeOf } from "../../store/session/place.ts";
import {
	ALL,
	type Answer,
	argument,
	badValue,
	type Given,
	JSON_OUT,
	option,
	SINCE,
	type Spec,
	UNTIL,
} from "../support/command.ts";
import { type Io, WrongUse } from "../support/io.ts";
import { isHeld, meantSession, onlySession } from "../support/place.ts";

interface Options extends Given {
	more?: string;
	beforeCompaction?: boolean;
	kind?: PassageKind[];
}

/** `ccg recall`: a short text; as JSON more passages, whole. */
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
	act: recallWords,
};

/** Parses the value of `--kind`. */
function parseKinds(value: string): PassageKind[] {
	const kinds = value.split(",");
	const wrong = kinds.find((kind) => !Object.hasOwn(KINDS, kind));
	if (wrong !== undefined)
		throw badValue(`'${wrong}' is no kind of passage; there are ${Object.keys(KINDS).join(", ")}`);
	return kinds as PassageKind[];
}

const MOST_AS_JSON = 30;

async function recallWords(io: Io, given: Options, words: readonly string[]): Promise<Answer> {
	const { more, json } = given;
	const wanted = words.join(" ");
	if (more === undefined && !wanted.trim()) throw new WrongUse("name what to look for, as in: ccg recall lock timeout");
	const meaning = more === undefined ? await askMeaning(storeOf(io).root, io.env, wanted) : null;
	const asker: Asker = { ...askerOf(io, io.now()), meaning };
	const answerFrom = (index: SearchIndex): Answer => {
		// (a note saved since the last turn ended is in no index yet; where that fails the answer only lacks it)
		quietly(() => indexNotes(index, index.root, given.all ? undefined : asker.project));
		if (more !== undefined) return answerWith(passage(index, more, given, asker, io), io);
		const filter = filterOf(index, given, asker, io);
		if (json) return hitsForPrograms(index, wanted, asker, filter, io);
		return answerWith(recallText(index, wanted, asker, filter), io);
	};
	return withIndex(io, answerFrom, (why) => ({ json: [], text: `Nothing found: ${why}` }));
}

const answerWith = (text: string, io: Io): Answer => ({ json: { text }, text: () => io.out(text) });

/** Gives the filter that the options make. */
function filterOf(index: SearchIndex, given: Options, asker: Asker, io: Io): Filter {
	const [since, until] = [given.since, given.until].map((time) => time && Math.floor(time(io.now()) / 1000));
	// looked up in the index, which also knows sessions that the store has deleted; what is found is held to the project
	const session = given.session && onlySession(given.session, index.sessionsLike(given.session), "the index");
	const isBefore = given.beforeCompaction === true;
	return {
		project: given.all ? undefined : asker.project,
		session: session ?? (isBefore ? (asker.session ?? meantSession(undefined, io).id) : undefined),
		kinds: given.kind,
		// a passage of no known time is not before `until`
		since: since ?? (until === undefined ? undefined : 1),
		until,
		compaction: isBefore ? "before" : undefined,
	};
}

function passage(index: SearchIndex, id: string, { kind: kinds }: Options, asker: Asker, io: Io): string {
	const text = passageText(index, id, asker, { kinds, project: isHeld(io) ? asker.project : undefined });
	if (text === null) throw new Error(`no passage '${id}' in this project; 'ccg recall WORDS' names those there are`);
	return text;
}

function hitsForPrograms(index: SearchIndex, words: string, asker: Asker, filter: Filter, io: Io): Answer {
	const { found, lack } = search(index, words, asker, filter);
	if (lack) io.err(`ccg: ${lack}`);
	return { json: found.slice(0, MOST_AS_JSON).map(asJson), text: "" };
}

const asJson = (passage: FoundPassage) => {
	const { id, kind, at, project, session, source, tool, path, text, left, compaction, score } = passage;
	return { id, kind, at, project, session, source, tool, path, text, left, compaction, score };
};
