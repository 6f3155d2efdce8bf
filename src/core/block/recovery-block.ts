import type { Checkpoint, Kept } from "../checkpoint/checkpoint.ts";
import { foreign, quotedName, storePath } from "../text/quoted.ts";
import { tellingWords } from "../text/telling-words.ts";
import { MAX_INJECTED_CHARS } from "./budget.ts";
import type { Item, Section } from "./item.ts";
import { itemId, lostSections, type SummaryText, summaryText } from "./lost.ts";
import { chooseTelling, pack } from "./pack.ts";
import { type Part, partOf, printBlock } from "./print.ts";
import { sectionsOf, USERS_WORDS } from "./sections.ts";
import { situationOf } from "./situation.ts";

interface BlockInput extends Pick<Checkpoint, "state" | "workspace" | "key"> {
	/** The path of the checkpoint's readable form; `null` where it could not be saved. */
	path: string | null;
	/** The folder that paths are told from; the session's own where it is not known. */
	base?: string;
	/** What the context holds word for word. */
	kept?: readonly Kept[] | undefined;
	/** Budget in characters for the whole text. */
	maxChars: number;
	/** `ccg recall` as the agent can type it; absent without a search index. */
	recall?: string | undefined;
	/** What Claude Code reads from disk again by itself, normalised; it is not repeated. */
	reloaded?: string;
}

/** A text for the model and the ids of the items in it. */
export interface Block {
	text: string;
	ids: string[];
}

/** Share of the budget that the first part may take. */
const FIRST_SHARE = 0.72;
/** The request is the last of them, and stands in the first part. */
const MORE_WORDS = "Earlier words of the user, in order of time";
const DOUBTS = "What the summary says and the record does not show";
/** Where nothing says so many new words in 100 characters, nothing more is given. */
const LEAST_WORDS = 2;

/**
 * What the model gets right behind the summary, which cannot be compared yet: what must be there whatever the summary says (the
 * request, how the work stood, the user's directives and decisions, what runs, the plan). Facts with their source, most
 * important first, whole items. Always starts with `ccg recovery`; the same bytes for the same checkpoint. `summary` is given
 * when it is known already.
 */
export function firstBlock(input: BlockInput, summary: SummaryText | null = null): Block {
	const { key, path, maxChars, reloaded } = input;
	const head =
		`ccg recovery ${key}: this session before its conversation was compacted, read from the transcript by the hook the ` +
		`user installed. Text in " or behind > is the user's own. Paths from ${folderOf(input)} on. Full checkpoint: ` +
		(path === null ? "none, the store can't be written" : storePath(path));
	const last = recallLine(input);
	const most = Math.min(MAX_INJECTED_CHARS, maxChars * FIRST_SHARE);
	const sections = sectionsOf("block", situationOf(input), "certain");
	const lost = lostSections(sections, new Set(), summary, reloaded);
	const parts = pack(lost.map(withoutShort), most - head.length - 1 - last.length);
	return { text: printBlock(head, parts) + last, ids: idsOf(parts) };
}

/** How to find what no block holds. */
const recallLine = ({ recall }: BlockInput): string =>
	recall
		? `\n\nWhat is not here is one call away: \`${recall} WORDS\` searches all messages of the user, the agent's words and ` +
			"all calls with their results, of this session and of others in this project."
		: "";

/** What stands shortened here comes no more: but for standing rules it waits for the second part, where it may be whole. */
const withoutShort = (section: Section): Section => ({
	...section,
	items: section.items.map(({ short, ...item }) => (item.stands && short ? { ...item, short } : item)),
});

const folderOf = ({ base, state }: BlockInput): string =>
	base || state.cwd ? quotedName(base || state.cwd) : "the session's folder";
const idsOf = (parts: readonly Part[]): string[] =>
	parts.flatMap(({ kind, items }) => items.map((item) => itemId(kind, item)));

/** Both parts as the model would get them without a summary: for people. */
export function recoveryBlock(input: BlockInput): string {
	const first = firstBlock(input);
	const maxChars = input.maxChars - first.text.length - 1;
	const later = followUpBlock({ ...input, maxChars }, new Set(first.ids), null, []);
	return later ? `${first.text}\n\n${later.text}` : first.text;
}

/**
 * What is missing from both the summary and the recovery block, injected once with a later event; `null` when nothing
 * is. The user's words come first; then what says most that neither holds. `maxChars` is what the recovery block left of the
 * budget, `claims` what the summary says without support.
 */
export function followUpBlock(
	input: BlockInput,
	given: ReadonlySet<string>,
	summary: string | null,
	claims: readonly { sentence: string; finding: string }[],
): Block | null {
	const head = `ccg recovery ${input.key}, continued: ${summary === null ? "what the recovery block left out" : "neither the summary nor the recovery block holds"} (paths relative to ${folderOf(input)}):`;
	const room = Math.min(MAX_INJECTED_CHARS, input.maxChars) - head.length - 1;
	const doubts = pack([doubtSection(claims)], room);
	const left = room - charsOf(doubts);
	const parts = left < 60 ? [] : missingParts(input, given, summary, left);
	if (parts.length === 0 && doubts.length === 0) return null;
	const shown = parts.map((part) => (part.heading === USERS_WORDS ? { ...part, heading: MORE_WORDS } : part));
	return { text: printBlock(head, [...shown, ...doubts]), ids: idsOf(parts) };
}

const doubtSection = (claims: readonly { sentence: string; finding: string }[]): Section => ({
	...{ kind: "doubt", at: 99, heading: DOUBTS },
	items: claims.map(({ sentence, finding }, order) => ({
		text: `- the summary says: ${foreign(sentence)}; ${finding}`,
		order,
	})),
});

/**
 * What neither the summary nor the recovery block holds, for `room` characters: the user's words and what else must be there
 * first; then what says most that is new.
 */
function missingParts(input: BlockInput, given: ReadonlySet<string>, summary: string | null, room: number): Part[] {
	const of = situationOf(input);
	const all = sectionsOf("block", of);
	const known = new Set(tellingWords(summary ?? ""));
	const learn = (items: readonly Item[]): void => {
		for (const item of items) for (const word of tellingWords(item.words ?? item.text)) known.add(word);
	};
	for (const { kind, items } of all) learn(items.filter((item) => given.has(itemId(kind, item))));
	const lost = lostSections(all, given, summary === null ? null : summaryText(summary), input.reloaded);
	const due = pack(lost.filter(isDue), room);
	for (const { items } of due) learn(items);
	const rest = lost.filter((section) => !isDue(section));
	const chosen = chooseTelling(rest, known, room - charsOf(due), LEAST_WORDS);
	const work = [...chosen].map(([section, items]) => partOf(section, items));
	return [...due, ...work].sort((a, b) => a.at - b.at);
}

const isDue = ({ certain, said }: Section): boolean => certain === true || said === true;
const charsOf = (parts: readonly Part[]): number => parts.reduce((sum, part) => sum + printBlock("", [part]).length, 0);
