/** Ways to choose what is given by itself: each gives, for an occasion, texts and how strongly each stands for itself, best first. */
import { excerptOf } from "../../src/core/search/answer.ts";
import type { FoundPassage } from "../../src/core/search/passage.ts";
import { heldTerms, ranked } from "../../src/core/search/ranking.ts";
import { queryTerms, type Term, wordsOf } from "../../src/core/search/words.ts";
import type { Before } from "./index-before.ts";
import { judged, namesOf, sourceOf } from "./names.ts";
import type { Occasion, Trigger } from "./occasions.ts";

/** Of 1,200 characters, without the line that says where a passage is from. */
const ROOM = 1_100;
const ASKED = 1_500;
const POOL = 20;

export interface Giving {
	id: string;
	text: string;
	strength: number;
}

/** An occasion, and what may be looked through for it. */
export interface Asked extends Before {
	one: Occasion;
	/** Only the occasion's own session. */
	isOwn: boolean;
	/** Unix seconds. */
	now: number;
}

export interface Way {
	triggers: readonly Trigger[];
	name: string;
	thresholds: readonly number[];
	give(asked: Asked): Giving[];
}

const ALL = ["prompt", "failure", "edit"] as const;
const SHARES = [0, 0.3, 0.5, 0.6, 0.7, 0.8, 0.9];
const COUNTS = [0, 1, 2, 3, 5, 8, 12];

export const WAYS: readonly Way[] = [
	{ triggers: ALL, name: "share of the words that the best passage holds", thresholds: SHARES, give: bestFor },
	{
		triggers: ["prompt"],
		name: "the same, only prompts that look back (again, earlier, as we did)",
		thresholds: SHARES,
		give: (asked) => (LOOKS_BACK.test(asked.one.text) ? bestFor(asked) : []),
	},
	{ triggers: ALL, name: "names of the occasion in one of the 20 best passages", thresholds: COUNTS, give: byNames },
	{ triggers: ALL, name: "names the model lacks in one of the 20 best passages", thresholds: COUNTS, give: byNews },
	{
		triggers: ALL,
		name: "share of the last work's names in a passage with one the model lacks",
		thresholds: SHARES,
		give: byWork,
	},
	{
		triggers: ["failure"],
		name: "likeness to an earlier failure, with what was done then",
		thresholds: SHARES,
		give: sameFailure,
	},
	{
		triggers: ["edit"],
		name: "names the model lacks in the last edits of the file, with why",
		thresholds: COUNTS,
		give: lastEdits,
	},
	{
		triggers: ["edit"],
		name: "names the model lacks in failures that name the file",
		thresholds: COUNTS,
		give: failuresOf,
	},
	{ triggers: ALL, name: "for comparison: a passage drawn by lot", thresholds: [0], give: byLot },
	{ triggers: ALL, name: "for comparison: chosen by who knows the next calls", thresholds: [1], give: byForesight },
];

const LOOKS_BACK =
	/\b(?:again|earlier|before|previous(?:ly)?|last time|remember|as (?:we|you|i|with)|like (?:we|you|in|the)|same|already|still|we (?:did|had|said|used|discussed)|you (?:did|said|mentioned)|did (?:we|you|that))\b/i;

function pool({ index, one, isOwn, now }: Asked): { found: FoundPassage[]; terms: Term[] } {
	const terms = queryTerms(
		one.trigger === "prompt" ? one.text : `${one.error || one.path}\n${one.text}`.slice(0, ASKED),
	);
	const filter = { project: "p", ...(isOwn && { session: one.session }) };
	const found = ranked(index.find(terms, filter), terms, { project: "p", session: one.session, now });
	return { terms, found: found.slice(0, POOL) };
}

const giving = ({ id, text }: FoundPassage, terms: readonly Term[], strength: number): Giving => ({
	id,
	text: excerptOf(text, terms, ROOM),
	strength,
});

const byStrength = (givings: Giving[]): Giving[] => givings.sort((a, b) => b.strength - a.strength);

function bestFor(asked: Asked): Giving[] {
	const { found, terms } = pool(asked);
	const all = terms.reduce((sum, { weight = 1 }) => sum + weight, 0) || 1;
	return found.map((one) => {
		const held = [...heldTerms(one.text, terms)].reduce((sum, i) => sum + (terms[i]!.weight ?? 1), 0);
		return giving(one, terms, held / all);
	});
}

function byNames(asked: Asked): Giving[] {
	const { found, terms } = pool(asked);
	const names = (text: string): number => [...heldTerms(text, terms)].filter((i) => terms[i]!.isName).length;
	return byStrength(found.map((one) => giving(one, terms, names(one.text))));
}

function byNews(asked: Asked): Giving[] {
	const { found, terms } = pool(asked);
	return byStrength(found.map((one) => withNews(giving(one, terms, 0), asked.one)));
}

const withNews = (given: Giving, one: Occasion): Giving => ({
	...given,
	strength: [...namesOf(given.text.replaceAll(`${one.cwd}/`, ""))].filter((name) => sourceOf(name, one.had) === "new")
		.length,
});

/** What the work of the moment names, not only the occasion. */
function byWork({ index, one, isOwn, now }: Asked): Giving[] {
	const work = [...namesOf(`${one.had.conversation.slice(-WORK)}\n${one.text.slice(0, ASKED)}`)].slice(-MOST_NAMES);
	const terms = queryTerms(work.join(" "));
	const filter = { project: "p", ...(isOwn && { session: one.session }) };
	const found = ranked(index.find(terms, filter), terms, { project: "p", session: one.session, now });
	return byStrength(
		found
			.slice(0, POOL)
			.map((passage) => giving(passage, terms, heldTerms(passage.text, terms).size / terms.length))
			.filter((given) => withNews(given, one).strength > 0),
	);
}

const WORK = 4_000;
const MOST_NAMES = 40;

/** A failure before the boundary that is like this one, and the calls that followed until the tool worked. */
function sameFailure({ index, one, isOwn }: Asked): Giving[] {
	const terms = queryTerms(`${one.error}\n${one.text}`.slice(0, ASKED));
	const filter = { project: "p", kinds: ["failure" as const], tool: one.tool, ...(isOwn && { session: one.session }) };
	return byStrength(
		index.find(terms, filter).map((passage) => {
			const error = passage.text.slice(passage.text.indexOf("→ failed") + "→ failed".length);
			const then = (index.around(passage.id, { before: 0, after: 6 }) ?? []).slice(1);
			const end = then.findIndex(({ kind, tool }) => kind === "call" && tool === one.tool);
			const shown = [passage, ...then.slice(0, end < 0 ? then.length : end + 1)];
			const room = Math.floor(ROOM / shown.length);
			const text = shown.map((part) => excerptOf(part.text, terms, room)).join("\n");
			return { id: passage.id, text, strength: likeness(one.error, error) };
		}),
	);
}

const TOLD = 600;

/** What two errors' beginnings have in common, as a share of their words; numbers differ from run to run. */
function likeness(one: string, other: string): number {
	const [a, b] = [one, other].map(
		(text) => new Set(wordsOf(text.slice(0, TOLD)).filter((word) => !/^\d+$/.test(word))),
	);
	const both = [...a!].filter((word) => b!.has(word)).length;
	return both / (a!.size + b!.size - both || 1);
}

/** The last edits of the file before the boundary, newest first, with what the agent said before them. */
function lastEdits(asked: Asked): Giving[] {
	const edits = onFile(asked, "call").filter(({ tool }) => /^(?:Edit|MultiEdit|Write|NotebookEdit)$/.test(tool));
	return edits.slice(0, 3).map(({ id, text }) => {
		const why = (asked.index.around(id, { before: 4, after: 0 }) ?? []).findLast(({ kind }) => kind === "agent");
		const told = [why ? why.text.slice(0, ROOM / 3) : "", text.slice(0, (ROOM * 2) / 3)].join("\n");
		return withNews({ id, text: told, strength: 0 }, asked.one);
	});
}

function failuresOf(asked: Asked): Giving[] {
	return onFile(asked, "failure")
		.slice(0, 3)
		.map(({ id, text }) => withNews({ id, text: text.slice(0, ROOM), strength: 0 }, asked.one));
}

function onFile({ index, one, isOwn }: Asked, kind: "call" | "failure"): FoundPassage[] {
	const name = one.path.slice(one.path.lastIndexOf("/") + 1);
	return index
		.find(queryTerms(name), { project: "p", kinds: [kind], ...(isOwn && { session: one.session }) })
		.filter(({ path, text }) => path === one.path || (kind === "failure" && text.includes(name)))
		.sort((a, b) => b.order - a.order);
}

/** What chance gives; the same at every run. */
function byLot({ index, ids, one, isOwn }: Asked): Giving[] {
	const drawn = ids.filter(({ session }) => !isOwn || session === one.session);
	const at = Number(Bun.hash.crc32(one.text + one.next)) % (drawn.length || 1);
	return drawn.slice(at, at + 1).flatMap(({ id }) =>
		(index.around(id, { before: 0, after: 0 }) ?? []).map(({ text }) => ({
			id: `${id} ${one.next.length}`,
			text: excerptOf(text, [], ROOM),
			strength: 0,
		})),
	);
}

/** What the best choice could give: a passage that holds a name the next calls use and the model lacks. */
function byForesight({ index, one, isOwn }: Asked): Giving[] {
	const terms = queryTerms(one.lacked.join(" "));
	const found = index.find(terms, { project: "p", ...(isOwn && { session: one.session }) });
	return byStrength(
		found.map((passage) => {
			const given = giving(passage, terms, 0);
			return { ...given, strength: judged(given.text, one) === "new" ? 1 : 0 };
		}),
	);
}
