import { subagentIn } from "../core/text/paths.ts";
import { excerptOf } from "./excerpt.ts";
import { NEAR, type Read } from "./find.ts";
import { type FoundPassage, isNextPiece } from "./passage.ts";
import { heldTerms, weightOf } from "./ranking.ts";
import type { SearchIndex } from "./search-index.ts";
import { indexWords, type Term } from "./words.ts";

/** What an answer shows of a message or a call. */
export interface Hit {
	passage: FoundPassage;
	excerpt: string;
	/** What was said to it, or what its command printed. */
	next?: Pick<Hit, "passage" | "excerpt">;
	/** Of what a subagent did the call that started it. */
	of?: FoundPassage;
}

/** Of a hit's room, so much goes to what was asked where its answer is shown as well. */
const ASKED = 0.4;
/** With less room a question stands alone. */
const ASKING = 300;
/** The line above what was said to it takes less. */
const HEAD = 80;
/** So many passages behind a question are looked at for what was said to it. */
const TURN = 80;

/** What an excerpt of a passage shows that holds none of the words, at most. */
const BESIDE = 160;

/**
 * Makes hits of passages, best first: each message or call once and as a whole, a question with what was said to it. `room`: for an
 * excerpt, asked before each; with none left it ends.
 */
export function hitsOf(
	index: SearchIndex,
	read: Read,
	found: readonly FoundPassage[],
	terms: readonly Term[],
	room: (made: readonly Hit[], passage: FoundPassage) => number,
): Hit[] {
	const hits: Hit[] = [];
	const shown = new Set<number>();
	const excerptFrom = (passage: FoundPassage, most: number): string => {
		const pieces = piecesAround(passage, read);
		for (const { id } of pieces) shown.add(id);
		return excerptOf({ kind: passage.kind, text: pieces.map((one) => one.text).join("") }, terms, most);
	};
	for (const passage of found) {
		if (shown.has(passage.id)) continue;
		const most = Math.min(room(hits, passage), passage.isBeside ? BESIDE : Infinity);
		if (most <= 0) break;
		const next = most < ASKING ? null : nextOf(passage, read, terms, shown);
		const excerpt = excerptFrom(passage, next ? most * ASKED : most);
		const of = callOf(index, passage, read);
		const left = most - excerpt.length - HEAD;
		const behind = next && { passage: next, excerpt: excerptFrom(next, next.isBeside ? Math.min(left, BESIDE) : left) };
		hits.push({ passage, ...(of && { of }), excerpt, ...(behind && { next: behind }) });
	}
	const beside = hits.filter(({ passage }) => passage.isBeside);
	const others = hits.filter(({ passage }) => !passage.isBeside);
	return others.flatMap((hit) => [hit, ...beside.filter((one) => hitBeside(one, others) === hit)]);
}

/** The hit that one was found beside; none where that is not shown. */
function hitBeside({ passage }: Hit, hits: readonly Hit[]): Hit | undefined {
	const far = (one: Hit) => Math.abs(one.passage.id - passage.id);
	const near = hits.filter((one) => one.passage.source === passage.source && far(one) <= NEAR);
	return near.sort((a, b) => far(a) - far(b) || a.passage.id - b.passage.id)[0];
}

/** The call that started the subagent whose work a passage is. */
function callOf({ database }: SearchIndex, passage: FoundPassage, read: Read): FoundPassage | null {
	const { source, session } = passage;
	const path = subagentIn(source) ?? (isSubagents(passage) ? subagentIn(passage.path) : null);
	if (path === null) return null;
	const query = database.query("SELECT rowid FROM words WHERE words MATCH ?");
	const calls = query.values(`text : "${indexWords(path).join(" ")}"`).map(([id]) => read(Number(id)));
	return calls.find((one) => one?.path === path && one.session === session && !isSubagents(one)) ?? null;
}

const isSubagents = ({ kind }: FoundPassage): boolean => kind === "subagent" || kind === "subcall";

/** A message or call in all its pieces, which stand side by side. */
function piecesAround(passage: FoundPassage, read: Read): FoundPassage[] {
	const pieces = [passage];
	const isOf = (one: FoundPassage | null): one is FoundPassage => one?.source === passage.source;
	for (let one = read(passage.id - 1); isOf(one) && isNextPiece(one, pieces[0]!); one = read(one.id - 1))
		pieces.unshift(one);
	for (let one = read(passage.id + 1); isOf(one) && isNextPiece(pieces.at(-1)!, one); one = read(one.id + 1))
		pieces.push(one);
	return pieces;
}

/** Asked in whatever language. */
const ASKS = ["?", "？", "؟"];

/**
 * What belongs to a message of the user's: of a command typed for the shell what it printed, of a question what the agent said to it
 * before the user's next message: what holds most of the words, else the last.
 */
function nextOf(
	{ id, kind, source, pos, text }: FoundPassage,
	read: Read,
	terms: readonly Term[],
	shown: ReadonlySet<number>,
): FoundPassage | null {
	const wanted = text.startsWith("! ") ? "output" : ASKS.some((mark) => text.includes(mark)) ? "agent" : null;
	if (kind !== "user" || !wanted) return null;
	let best: FoundPassage | null = null;
	let most = -1;
	for (let n = id + 1; n <= id + TURN; n++) {
		const one = read(n);
		if (one?.source !== source || (one.kind === "user" && one.pos !== pos)) break;
		const worth = one.kind === wanted && !one.left ? weightOf(heldTerms(one.text, terms)) : -1;
		if (worth < 0 || worth < most) continue;
		[best, most] = [one, worth];
	}
	return best && !shown.has(best.id) ? { ...best, isBeside: most === 0 && wanted === "agent" } : null;
}
