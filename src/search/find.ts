import { foreignIndexError, projectWord, unpackBlock } from "./database.ts";
import { type Filter, type FoundPassage, isOfKindAndTime, KINDS, MIN_PIECE } from "./passage.ts";
import { termsIn, totalWeight } from "./ranking.ts";
import type { SearchIndex } from "./search-index.ts";
import { type Term, termPattern } from "./words.ts";

/** Passages that SQLite ranks before ccg does. */
const CANDIDATES = 400;
/** How many passages with different texts are found at most (each costs the unpacking of a block); with copies so many times that. */
const [MAX_FOUND, COPIES_EACH] = [40, 2];
/** Passages that are ranked for their common words: about ten milliseconds. */
const MOST_RANKED = 5_000;
/** What the three passages before and after one count for it; measured: `bench/locomo.ts`, `npm run bench:dialogues`. */
export const NEAR_DISTANCE = 3;
const NEIGHBOUR_WEIGHT = 0.3;
/** How much of the score is what a passage holds of the terms, together with the two before and after it, by their weights; the rest is BM25. */
const [HELD_WEIGHT, HELD_DISTANCE] = [0.3, 2];

/**
 * Finds passages that hold any of the terms, best first (BM25), one of each message or call, up to `MAX_FOUND` with different texts. One beside
 * others that fit counts more. Messages without a term are among them where a neighbour with one is the answer or the question to
 * it (`holdsNoTerm`). Sets the weights of the terms.
 */
export function findPassages(index: SearchIndex, read: PassageReader, terms: readonly Term[], filter: Filter) {
	const found: FoundPassage[] = [];
	if (terms.length === 0) return found;
	const isNewMessage = firstOfMessageTest();
	const texts = new Set<string>();
	for (const { id, score, neighbours } of rankCandidates(index, terms, filter)) {
		const passage = read(id, filter);
		if (!passage || (neighbours && !neighbours.some((near) => areUserAndAgent(passage, read(near))))) continue;
		if (!isNewMessage(passage)) continue;
		found.push({ ...passage, score, holdsNoTerm: neighbours !== undefined });
		if (texts.add(passage.text).size === MAX_FOUND || found.length === COPIES_EACH * MAX_FOUND) break;
	}
	const most = 1 - HELD_WEIGHT + (HELD_WEIGHT * totalWeight(terms)) / terms.length;
	return found.map((one) => {
		const near = Array.from({ length: 2 * HELD_DISTANCE + 1 }, (_, n) => read(one.id + n - HELD_DISTANCE));
		const inSource = near.flatMap((passage) =>
			passage?.source === one.source ? [...termsIn(passage.text, terms)] : [],
		);
		const held = totalWeight(new Set(inSource)) / terms.length;
		return { ...one, score: ((1 - HELD_WEIGHT) * one.score + HELD_WEIGHT * held) / most };
	});
}

/** Gives a test that is true for the first passage of each message or call. The pieces of a long text count as one: any brings the whole text. */
function firstOfMessageTest(): (passage: FoundPassage) => boolean {
	const known = new Set<string>();
	return ({ source, pos, kind, tool, path, part, text }) => {
		const { size } = known;
		return known.add([source, pos, kind, tool, path, text.length < MIN_PIECE && part].join(" ")).size > size;
	};
}

/** Whether of two passages of one transcript one is a message of the user's and the other one of the agent's. */
const areUserAndAgent = (one: FoundPassage, other: FoundPassage | null): boolean =>
	one.source === other?.source && ["user agent", "agent user"].includes(`${other.kind} ${one.kind}`);

/** A passage that may fit. `neighbours`: where it holds no term itself, the ids of passages near it that do. */
type Candidate = { id: number; score: number; neighbours?: number[] };

/** The passages that hold a term, and those near them, best first. Their scores come from the index of words alone: no passage is read yet. */
function rankCandidates(index: SearchIndex, terms: readonly Term[], { project, ...others }: Filter): Candidate[] {
	const ofProject = project === undefined ? "" : ` AND project : (${projectWord(project)} OR ${projectWord("")})`;
	const rareTerms = weighTerms(index, terms, ofProject);
	const match = `(text : (${rareTerms.map(ftsPhrase).join(" OR ")}))${ofProject}`;
	// the index of words knows nothing of kind, time and session: then more candidates are needed
	const limit = Object.values(others).every((one) => one === undefined) ? CANDIDATES : -1;
	const sql =
		"SELECT rowid AS id, -bm25(words, 1, 0) AS score FROM words WHERE words MATCH ? ORDER BY score DESC LIMIT ?";
	const rows = index.database.query<Record<"id" | "score", number>, [string, number]>(sql).all(match, limit);
	const best = rows[0]?.score ?? 1;
	const matches = new Map(rows.map(({ id, score }) => [id, score / best]));
	const candidates = new Map<number, Candidate>();
	for (const [id, score] of matches) candidates.set(id, { id, score });
	for (const [match, score] of matches)
		for (let id = match - NEAR_DISTANCE; id <= match + NEAR_DISTANCE; id++) {
			if (id === match) continue;
			const near = candidates.get(id) ?? { id, score: 0, neighbours: [] };
			near.neighbours?.push(match);
			near.score += NEIGHBOUR_WEIGHT * score;
			candidates.set(id, near);
		}
	return [...candidates.values()].sort((a, b) => b.score - a.score);
}

/**
 * Sets the weight of each term: more, the fewer passages hold it. One that none holds becomes its longest prefix that some hold. Gives the
 * rarest terms, at least one: ranking the passages with common ones would take as long as the index is large.
 */
function weighTerms({ database }: SearchIndex, terms: readonly Term[], ofProject: string): Term[] {
	const sql = "SELECT count(*) FROM (SELECT 1 FROM words WHERE words MATCH ? LIMIT ?)";
	const query = database.query<unknown, [string, number]>(sql);
	const countPassages = (term: Term) =>
		query.values(`(text : ${ftsPhrase(term)})${ofProject}`, MOST_RANKED + 1)[0]![0] as number;
	const counted = terms.map((term) => {
		const passages = countPassages(term);
		term.isNotFound = passages === 0;
		if (passages > 0) return { term, passages };
		const prefix = termPrefixes(term).find((one) => countPassages(one) > 0);
		return { term: Object.assign(term, prefix), passages: countPassages(term) };
	});
	const total = counted.reduce((sum, { passages }) => sum + passages, 0);
	for (const { term, passages } of counted) term.weight = Math.log(1 + total / (1 + passages));
	const rarest: Term[] = [];
	let sum = 0;
	for (const { term, passages } of counted.sort((a, b) => a.passages - b.passages)) {
		sum += rarest.length > 0 ? passages : 0;
		if (sum <= MOST_RANKED) rarest.push(term);
	}
	return rarest;
}

/** A term in the syntax of FTS5: its words side by side, in quotes, since elsewhere `AND` or `*` mean something; with `*` a prefix. */
const ftsPhrase = ({ words, isNotFound }: Term): string => `"${words.join(" ")}"${isNotFound ? "*" : ""}`;

/** Prefixes of a term, the longest first. Of a word the ending may be another; seven characters of a name may do, as of a commit's hash. */
function termPrefixes(term: Term): Term[] {
	const text = term.words.join(" ");
	const withoutEnding = term.isName ? [] : [Math.max(4, text.length - 2)];
	const lengths = [text.length, ...withoutEnding, ...(term.words[0]!.length > 7 ? [7] : [])];
	return lengths.map((length) => ({ ...term, ...termPattern(text.slice(0, length).split(" ")) }));
}

/** A block as it stands in the index, with what its source tells of it. */
interface BlockRow extends Pick<FoundPassage, "id" | "source" | "project" | "session"> {
	since: number;
	until: number;
	gone: number;
	compacted: number;
	passages: Uint8Array;
}

const BLOCKS = `SELECT b.id, b.since, b.until, b.gone, b.passages, s.path AS source, s.project, s.session, s.compacted
	FROM blocks b JOIN sources s ON s.id = b.source`;

export type PassageReader = (id: number, filter?: Filter) => FoundPassage | null;

/** Gives a function that reads a passage by its id; `null` where it was deleted, or the filter excludes it. Each block is unpacked once. */
export function passageReader({ database }: SearchIndex): PassageReader {
	const query = database.query<BlockRow, [number]>(`${BLOCKS} WHERE b.id <= ? ORDER BY b.id DESC LIMIT 1`);
	const known = new Map<number, FoundPassage | null>();
	return (id, filter = {}) => {
		if (!known.has(id)) {
			const block = query.get(id);
			if (!block || !blockMayMatch(block, filter)) return null;
			for (const [n, one] of unpackPassages(block).entries()) known.set(block.id + n, one);
		}
		const found = known.get(id);
		return found && isOfProjectAndSession(found, filter) && isOfKindAndTime(found, filter) ? found : null;
	};
}

/** Whether a passage or a block is of the session and project that a filter asks for. */
export const isOfProjectAndSession = (
	one: Pick<FoundPassage, "project" | "session">,
	{ project, session = one.session }: Filter,
): boolean => one.session === session && (project === undefined || one.project === "" || one.project === project);

/** Whether a block may hold a passage that the filter lets pass, as far as it can be told without unpacking it. */
const blockMayMatch = (block: BlockRow, filter: Filter): boolean =>
	isOfProjectAndSession(block, filter) &&
	block.until >= (filter.since ?? 0) &&
	block.since <= (filter.until ?? Infinity);

/** The passages of a block; `null` for a kind that this version does not know. Throws what a damaged index throws where it is none of ours. */
function unpackPassages({ id, gone, compacted, passages, ...block }: BlockRow): (FoundPassage | null)[] {
	const { source, project, session } = block;
	if ([source, project, session].some((one) => typeof one !== "string"))
		throw foreignIndexError("a passage lacks what each has");
	return unpackBlock(passages).map((passage, n) => {
		const compaction = compacted === 0 ? null : passage.pos < compacted ? "before" : "after";
		const isAbandoned = isOnAbandonedBranch(gone, n);
		const added = { id: id + n, source, project, session, isAbandoned, compaction, score: 0 } as const;
		return Object.hasOwn(KINDS, passage.kind) ? { ...added, ...passage } : null;
	});
}

/** Whether the `n`th passage of a block lies on a branch of the conversation that the user left; `gone` has a bit for each passage. */
export const isOnAbandonedBranch = (gone: number, n: number): boolean => Math.floor(gone / 2 ** n) % 2 === 1;

/** The messages of user and agent in the time of a filter, the newest first, one passage of each; somewhat more than `MAX_FOUND` at most. */
export function messagesInTime({ database }: SearchIndex, filter: Filter): FoundPassage[] {
	const isNewMessage = firstOfMessageTest();
	const query = database.query<BlockRow, [number, number, string | null]>(
		`${BLOCKS} WHERE b.until >= ? AND b.since <= ? AND s.project IN (coalesce(?, s.project), '') ORDER BY b.until DESC`,
	);
	const wanted = { kinds: ["user", "agent"] as const, ...filter };
	const found: FoundPassage[] = [];
	const [since, until] = [filter.since ?? 0, filter.until ?? Number.MAX_SAFE_INTEGER];
	for (const block of query.iterate(since, until, filter.project ?? null)) {
		if (found.length >= MAX_FOUND) break;
		if (!blockMayMatch(block, filter)) continue;
		const said = unpackPassages(block).filter((one) => one && !one.isAbandoned && isOfKindAndTime(one, wanted));
		found.push(...(said as FoundPassage[]).reverse().filter(isNewMessage));
	}
	return found;
}

/** Passages told before and after one. */
const MAX_AROUND = 6;
/** Where only some kinds are wanted, and the blocks that are looked through for them. */
const [MAX_KIND_AROUND, BLOCKS_AROUND] = [20, 20];

/** The passage of an id with those before and after it in its source, where `kinds` is given only these kinds. Empty where it was deleted. */
export function passagesAround(index: SearchIndex, id: number, kinds?: Filter["kinds"]): FoundPassage[] {
	const wanted = passageReader(index)(id);
	if (!wanted) return [];
	const blocksBeside = (sign: "<=" | ">", order: "DESC" | "ASC"): BlockRow[] => {
		const sql = `${BLOCKS} WHERE s.path = ? AND b.id ${sign} ? ORDER BY b.id ${order} LIMIT ${kinds ? BLOCKS_AROUND : MAX_AROUND + 1}`;
		return index.database.query<BlockRow, [string, number]>(sql).all(wanted.source, id);
	};
	const around = [...blocksBeside("<=", "DESC"), ...blocksBeside(">", "ASC")]
		.flatMap((block) => unpackPassages(block).filter((one) => one !== null))
		.filter((one) => one.id === id || (!one.isAbandoned && isOfKindAndTime(one, { kinds })))
		.sort((a, b) => a.pos - b.pos || a.part - b.part);
	const at = around.findIndex((one) => one.id === id);
	const most = kinds ? MAX_KIND_AROUND : MAX_AROUND;
	return around.slice(Math.max(0, at - most), at + most + 1);
}

/** The passages of some ids, in their order; deleted ones are left out. */
export const readPassages = (index: SearchIndex, ids: readonly number[], read = passageReader(index)): FoundPassage[] =>
	ids.flatMap((id) => read(id) ?? []);
