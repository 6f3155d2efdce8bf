import { foreignIndex, projectWord, unpackBlock } from "./database.ts";
import { type Filter, type FoundPassage, isAskedFor, KINDS, LEAST_PIECE } from "./passage.ts";
import type { SearchIndex } from "./search-index.ts";
import { type Term, termForm } from "./words.ts";

/** Passages that SQLite ranks before ccg does. */
const CANDIDATES = 400;
/** Messages and calls of them that are read, each from a block that is unpacked for it, and with copies of a text so many times that. */
const [READ, COPIES] = [40, 2];
/** Passages that are ranked for their common words: about ten milliseconds. */
const MOST_RANKED = 5_000;
/** What the three passages before and after one count for it, the nearest most; measured: `npm run bench:dialogues`. */
export const NEAR = 3;
const NEIGHBOURS = 0.2;
/** What each of those before counts for a message that holds none of the words: an answer follows what was asked. */
const ASKED = 0.4;

/**
 * Passages that hold any of the terms, of each message or call one, `READ` that differ: those that fit the words best (BM25), and stand
 * beside others that do; also messages that hold none, and are said to one that does or are what it was said to. Weighs the terms.
 */
export function findPassages(index: SearchIndex, read: Read, terms: readonly Term[], filter: Filter): FoundPassage[] {
	if (terms.length === 0) return [];
	const found: FoundPassage[] = [];
	const isNew = firstOfMessage();
	const texts = new Set<string>();
	for (const { id, score, by } of candidates(index, terms, filter)) {
		const passage = read(id, filter);
		if (!passage || (by && !by.some((one) => isSaidTo(passage, read(one))))) continue;
		if (!isNew(passage)) continue;
		found.push({ ...passage, score, isBeside: by !== undefined });
		if (texts.add(passage.text).size === READ || found.length === COPIES * READ) break;
	}
	return found;
}

/** Gives a test that is true for the first passage of each message or call. Long pieces of one text are one: any of them brings the whole text. */
function firstOfMessage(): (passage: FoundPassage) => boolean {
	const known = new Set<string>();
	return ({ source, pos, kind, tool, path, part, text }) => {
		const { size } = known;
		return known.add([source, pos, kind, tool, path, text.length < LEAST_PIECE && part].join(" ")).size > size;
	};
}

/** Whether the one is the agent's and the other the user's, of one session. */
const isSaidTo = (one: FoundPassage, to: FoundPassage | null): boolean =>
	one.source === to?.source && ["user agent", "agent user"].includes(`${to.kind} ${one.kind}`);

/**
 * The candidates, best first, by what the index of words tells: none is read for it. One that holds none of the words comes with those
 * beside it that do.
 */
function candidates(
	index: SearchIndex,
	terms: readonly Term[],
	{ project, ...others }: Filter,
): { id: number; score: number; by?: number[] }[] {
	const isIn = project === undefined ? "" : ` AND (project : ${projectWord(project)} OR project : ${projectWord("")})`;
	const wanted = telling(index, terms, isIn);
	const words = `(text : (${wanted.map(phrase).join(" OR ")}))`;
	// what else is asked for, the index of words does not know
	const limit = Object.values(others).every((one) => one === undefined) ? CANDIDATES : -1;
	const sql =
		"SELECT rowid AS id, -bm25(words, 1, 0) AS score FROM words WHERE words MATCH ? ORDER BY score DESC LIMIT ?";
	const all = index.database.query<Record<"id" | "score", number>, [string, number]>(sql).all(words + isIn, limit);
	const best = all[0]?.score ?? 1;
	const worth = new Map(all.map(({ id, score }) => [id, score / best]));
	const found = new Map<number, ReturnType<typeof candidates>[number]>();
	for (const [id, score] of worth) found.set(id, { id, score });
	for (const [by, own] of worth)
		for (let distance = 1; distance <= NEAR; distance++)
			for (const id of [by + distance, by - distance]) {
				const one = found.get(id) ?? { id, score: 0, by: [] };
				one.by?.push(by);
				one.score += id > by && !worth.has(id) ? ASKED * own : (NEIGHBOURS * own) / distance;
				found.set(id, one);
			}
	return [...found.values()].sort((a, b) => b.score - a.score);
}

/**
 * Of the terms those that stand in few passages, at least one: what stands in many tells little, and ranking all of them would take as
 * long as the index is large. Weighs all of them by that. One that stands nowhere becomes a beginning of it that does.
 */
function telling({ database }: SearchIndex, terms: readonly Term[], isIn: string): Term[] {
	const sql = "SELECT count(*) FROM (SELECT 1 FROM words WHERE words MATCH ? LIMIT ?)";
	const count = database.query<unknown, [string, number]>(sql);
	const passagesOf = (term: Term) => count.values(`(text : ${phrase(term)})${isIn}`, MOST_RANKED + 1)[0]![0] as number;
	const counted = terms.map((term) => {
		term.isNowhere = passagesOf(term) === 0;
		const begin = term.isNowhere && beginnings(term).find((one) => passagesOf(one) > 0);
		if (begin) Object.assign(term, begin);
		return { term, passages: passagesOf(term) };
	});
	const all = counted.reduce((sum, { passages }) => sum + passages, 0);
	for (const { term, passages } of counted) term.weight = Math.log(1 + all / (1 + passages));
	const kept: Term[] = [];
	let sum = 0;
	for (const { term, passages } of counted.sort((a, b) => a.passages - b.passages)) {
		sum += kept.length > 0 ? passages : 0;
		if (sum <= MOST_RANKED) kept.push(term);
	}
	return kept;
}

/** Words in quotes are nothing but words to FTS5; side by side they are a phrase. */
const phrase = ({ words, isNowhere }: Term): string => `"${words.join(" ")}"${isNowhere ? "*" : ""}`;

/** Beginnings of a term, the longest first: of a word the ending may be another, of a name seven signs tell it, as of a commit. */
function beginnings(term: Term): Term[] {
	const all = term.words.join(" ");
	const lengths = [
		all.length,
		...(term.isName ? [] : [Math.max(4, all.length - 2)]),
		...(term.words[0]!.length > 7 ? [7] : []),
	];
	return lengths.map((length) => ({ ...term, ...termForm(all.slice(0, length).split(" ")) }));
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

export type Read = (id: number, filter?: Filter) => FoundPassage | null;

/** Reads passages by their ids, `null` for one that is gone or not asked for. Each block is unpacked once, where it may hold one. */
export function passageReader({ database }: SearchIndex): Read {
	const query = database.query<BlockRow, [number]>(`${BLOCKS} WHERE b.id <= ? ORDER BY b.id DESC LIMIT 1`);
	const known = new Map<number, FoundPassage | null>();
	return (id, filter = {}) => {
		if (!known.has(id)) {
			const block = query.get(id);
			if (!block || !mayHold(block, filter)) return null;
			for (const [n, one] of passagesIn(block).entries()) known.set(block.id + n, one);
		}
		const found = known.get(id);
		return found && belongsTo(found, filter) && isAskedFor(found, filter) ? found : null;
	};
}

/** Whether a passage or a block is of the session and project that a filter asks for. */
export const belongsTo = (
	one: Pick<FoundPassage, "project" | "session">,
	{ project, session = one.session }: Filter,
): boolean => one.session === session && (project === undefined || one.project === "" || one.project === project);

/** Whether a block may hold what is asked for: what it tells without being unpacked. */
const mayHold = (block: BlockRow, filter: Filter): boolean =>
	belongsTo(block, filter) && block.until >= (filter.since ?? 0) && block.since <= (filter.until ?? Infinity);

/** The passages of a block; `null` for a kind that this version does not know. Throws what a damaged index throws where it is none of ours. */
function passagesIn({ id, gone, compacted, passages, ...block }: BlockRow): (FoundPassage | null)[] {
	const { source, project, session } = block;
	if ([source, project, session].some((one) => typeof one !== "string"))
		throw foreignIndex("a passage lacks what each has");
	return unpackBlock(passages).map((passage, n) => {
		const compaction = compacted === 0 ? null : passage.pos < compacted ? "before" : "after";
		const own = { id: id + n, source, project, session, left: isOnLeftBranch(gone, n), compaction, score: 0 } as const;
		return Object.hasOwn(KINDS, passage.kind) ? { ...own, ...passage } : null;
	});
}

/** Whether the `n`th passage of a block lies on a branch that was left. */
export const isOnLeftBranch = (gone: number, n: number): boolean => Math.floor(gone / 2 ** n) % 2 === 1;

/** What was said in a time, the newest first, about `READ` passages of it; of each message one. */
export function saidIn({ database }: SearchIndex, filter: Filter): FoundPassage[] {
	const isNew = firstOfMessage();
	const query = database.query<BlockRow, [number, number, string | null]>(
		`${BLOCKS} WHERE b.until >= ? AND b.since <= ? AND s.project IN (coalesce(?, s.project), '') ORDER BY b.until DESC`,
	);
	const wanted = { kinds: ["user", "agent"] as const, ...filter };
	const found: FoundPassage[] = [];
	const [since, until] = [filter.since ?? 0, filter.until ?? Number.MAX_SAFE_INTEGER];
	for (const block of query.iterate(since, until, filter.project ?? null)) {
		if (found.length >= READ) break;
		if (!mayHold(block, filter)) continue;
		const said = passagesIn(block).filter((one) => one !== null && !one.left && isAskedFor(one, wanted));
		found.push(...(said as FoundPassage[]).reverse().filter(isNew));
	}
	return found;
}

/** Passages told before and after one. */
const BESIDE = 6;
/** Where only some kinds are wanted, and the blocks that are looked through for them. */
const [SAID_BESIDE, BLOCKS_BESIDE] = [20, 20];

/** A passage by its id, with those before and after it in its source, of some kinds alone; none where it is gone. */
export function passagesAround(index: SearchIndex, id: number, kinds?: Filter["kinds"]): FoundPassage[] {
	const own = passageReader(index)(id);
	if (!own) return [];
	const beside = (sign: "<=" | ">", order: "DESC" | "ASC"): BlockRow[] => {
		const sql = `${BLOCKS} WHERE s.path = ? AND b.id ${sign} ? ORDER BY b.id ${order} LIMIT ${kinds ? BLOCKS_BESIDE : BESIDE + 1}`;
		return index.database.query<BlockRow, [string, number]>(sql).all(own.source, id);
	};
	const around = [...beside("<=", "DESC"), ...beside(">", "ASC")]
		.flatMap((block) => passagesIn(block))
		.filter((one): one is FoundPassage => one !== null && (one.id === id || (!one.left && isAskedFor(one, { kinds }))))
		.sort((a, b) => a.pos - b.pos || a.part - b.part);
	const at = around.findIndex((one) => one.id === id);
	const most = kinds ? SAID_BESIDE : BESIDE;
	return around.slice(Math.max(0, at - most), at + most + 1);
}

/** Passages by their ids, in that order; those that are gone left out. */
export const passagesBy = (index: SearchIndex, ids: readonly number[], read = passageReader(index)): FoundPassage[] =>
	ids.flatMap((id) => read(id) ?? []);
