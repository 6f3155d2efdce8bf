import { subagentFile } from "../core/text/paths.ts";
import { makeExcerpt } from "./excerpt.ts";
import { NEAR_DISTANCE, type PassageReader } from "./find.ts";
import { type FoundPassage, isNextPiece } from "./passage.ts";
import { termsIn, totalWeight } from "./ranking.ts";
import type { SearchIndex } from "./search-index.ts";
import { indexWords, type Term } from "./words.ts";

/** What an answer shows of a message or a call. */
export interface Hit {
	passage: FoundPassage;
	excerpt: string;
	/** What was said to it, or what its command printed. */
	reply?: Pick<Hit, "passage" | "excerpt">;
	/** Of what a subagent did the call that started it. */
	startedBy?: FoundPassage;
}

/** Of a hit's room, so much goes to what was asked where its answer is shown as well. */
const QUESTION_SHARE = 0.4;
/** With less room a question stands alone. */
const MIN_REPLY_ROOM = 300;
/** The line above what was said to it takes less. */
const HEADING_LENGTH = 80;
/** So many passages behind a question are looked at for what was said to it. */
const REPLY_DISTANCE = 80;

/** What an excerpt of a passage shows that holds none of the words, at most. */
const MAX_WITHOUT_TERM = 160;

/**
 * Makes the hits of an answer from passages, best first: each message or call once and whole, a question with its answer. `roomFor` gives how
 * long the next passage's excerpt may be; at 0 no more hits are made.
 */
export function makeHits(
	index: SearchIndex,
	read: PassageReader,
	found: readonly FoundPassage[],
	terms: readonly Term[],
	roomFor: (passage: FoundPassage, hits: readonly Hit[]) => number,
): Hit[] {
	const hits: Hit[] = [];
	const shown = new Set<number>();
	const addExcerpt = (passage: FoundPassage, room: number): Pick<Hit, "passage" | "excerpt"> => {
		const pieces = readAllPieces(passage, read);
		for (const { id } of pieces) shown.add(id);
		const most = passage.holdsNoTerm ? Math.min(room, MAX_WITHOUT_TERM) : room;
		const text = pieces.map((piece) => piece.text).join("");
		return { passage, excerpt: makeExcerpt({ kind: passage.kind, text }, terms, most) };
	};
	for (const passage of found) {
		if (shown.has(passage.id)) continue;
		const room = Math.min(roomFor(passage, hits), passage.holdsNoTerm ? MAX_WITHOUT_TERM : Infinity);
		if (room <= 0) break;
		const reply = room < MIN_REPLY_ROOM ? null : findReply(passage, read, terms, shown);
		const hit = addExcerpt(passage, reply ? room * QUESTION_SHARE : room);
		const startedBy = findSubagentCall(index, passage, read);
		const roomLeft = room - hit.excerpt.length - HEADING_LENGTH;
		hits.push({ ...hit, ...(startedBy && { startedBy }), ...(reply && { reply: addExcerpt(reply, roomLeft) }) });
	}
	// what holds no term comes behind the hit that it was found beside
	const withTerm = hits.filter(({ passage }) => !passage.holdsNoTerm);
	const others = hits.filter(({ passage }) => passage.holdsNoTerm);
	return withTerm.flatMap((hit) => [hit, ...others.filter((other) => nearestHit(other, withTerm) === hit)]);
}

/** The nearest of the hits in a passage's transcript; none where all are too far away. */
function nearestHit({ passage }: Hit, hits: readonly Hit[]): Hit | undefined {
	const distance = (hit: Hit) => Math.abs(hit.passage.id - passage.id);
	const near = hits.filter((hit) => hit.passage.source === passage.source && distance(hit) <= NEAR_DISTANCE);
	return near.sort((a, b) => distance(a) - distance(b) || a.passage.id - b.passage.id)[0];
}

/** The call that started the subagent which said or did what a passage holds; `null` where it is no subagent's. */
function findSubagentCall({ database }: SearchIndex, passage: FoundPassage, read: PassageReader): FoundPassage | null {
	const { source, session } = passage;
	const path = subagentFile(source) ?? (isOfSubagent(passage) ? subagentFile(passage.path) : null);
	if (path === null) return null;
	const query = database.query("SELECT rowid FROM words WHERE words MATCH ?");
	const calls = query.values(`text : "${indexWords(path).join(" ")}"`).map(([id]) => read(Number(id)));
	return calls.find((one) => one?.path === path && one.session === session && !isOfSubagent(one)) ?? null;
}

/** Whether a passage is what a subagent said or did. */
const isOfSubagent = ({ kind }: FoundPassage): boolean => kind === "subagent" || kind === "subcall";

/** All pieces of the message or call that a passage is a piece of, in order. Their ids follow one another. */
function readAllPieces(passage: FoundPassage, read: PassageReader): FoundPassage[] {
	const pieces = [passage];
	const isInSource = (one: FoundPassage | null): one is FoundPassage => one?.source === passage.source;
	for (let one = read(passage.id - 1); isInSource(one) && isNextPiece(one, pieces[0]!); one = read(one.id - 1))
		pieces.unshift(one);
	for (let one = read(passage.id + 1); isInSource(one) && isNextPiece(pieces.at(-1)!, one); one = read(one.id + 1))
		pieces.push(one);
	return pieces;
}

/** Asked in whatever language. */
const QUESTION_MARKS = ["?", "？", "؟"];

/**
 * The reply to a message of the user's: to a command typed for the shell its output, to a question the agent's message before the user's next
 * one that holds most of the terms, else the last such. `null` where there is none, or it was `shown`.
 */
function findReply(
	{ id, kind, source, pos, text }: FoundPassage,
	read: PassageReader,
	terms: readonly Term[],
	shown: ReadonlySet<number>,
): FoundPassage | null {
	const wanted = text.startsWith("! ") ? "output" : QUESTION_MARKS.some((mark) => text.includes(mark)) ? "agent" : null;
	if (kind !== "user" || !wanted) return null;
	let best: FoundPassage | null = null;
	let bestWeight = 0;
	for (let nextId = id + 1; nextId <= id + REPLY_DISTANCE; nextId++) {
		const next = read(nextId);
		if (next?.source !== source || (next.kind === "user" && next.pos !== pos)) break;
		if (next.kind !== wanted || next.isAbandoned) continue;
		const weight = totalWeight(termsIn(next.text, terms));
		if (weight >= bestWeight) [best, bestWeight] = [next, weight];
	}
	return best && !shown.has(best.id) ? { ...best, holdsNoTerm: bestWeight === 0 && wanted === "agent" } : null;
}
