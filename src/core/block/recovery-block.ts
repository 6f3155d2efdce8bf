import type { Checkpoint, Kept } from "../checkpoint/checkpoint.ts";
import { foreign, quotedName, storePath } from "../text/quoted.ts";
import { tellingWords, weightOf } from "../text/telling-words.ts";
import type { Item, Section } from "./item.ts";
import { itemId, lostSections, type SummaryText } from "./lost.ts";
import { pack } from "./pack.ts";
import { type Part, printBlock } from "./print.ts";
import { sectionsOf } from "./sections.ts";
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

/** Characters of the second part, and what the first one leaves to it: a false statement of the summary is told in any case. */
const LATER = 2_500;
const LEAST_LATER = 600;
const DOUBTS = "What the summary says and the record does not show";

/**
 * What the model gets right behind the summary, which cannot be compared yet: what must be there whatever the summary says (the
 * request, the user's rules, how the work stood, what runs, what is open, what the open work rests on). Facts with their source, whole
 * items. Always starts with `ccg recovery`; the same bytes for the same checkpoint. `summary` is given when it is known already.
 */
export function firstBlock(input: BlockInput, summary: SummaryText | null = null): Block {
	const { key, path, maxChars, reloaded, recall } = input;
	const head =
		`ccg recovery ${key}: this session before its conversation was compacted, read from the transcript by the hook the ` +
		`user installed. Text in " or behind > is the user's own. Paths from ${folderOf(input)} on.`;
	const more = [
		recall && `\`${recall} WORDS\` finds any message, call or result of this project`,
		path === null ? "no checkpoint: the store can't be written" : `full checkpoint: ${storePath(path)}`,
	];
	const last = `\n\nMore: ${more.filter(Boolean).join("; ")}.`;
	const most = maxChars - LEAST_LATER - head.length - 1 - last.length;
	const sections = sectionsOf("block", situationOf(input), "certain");
	const parts = pack(lostSections(sections, new Set(), summary, reloaded), most);
	return { text: printBlock(head, parts) + last, ids: idsOf(parts) };
}

const folderOf = ({ base, state }: BlockInput): string =>
	base || state.cwd ? quotedName(base || state.cwd) : "the session's folder";
const idsOf = (parts: readonly Part[]): string[] =>
	parts.flatMap(({ kind, items }) => items.map((item) => itemId(kind, item)));

/**
 * What the work needs and neither the summary nor the recovery block holds, injected once with a later event; `null` when nothing is:
 * what the agent found or decided that the open work rests on. `claims`: what the summary says without support.
 */
export function followUpBlock(
	input: BlockInput,
	given: ReadonlySet<string>,
	summary: string | null,
	claims: readonly { sentence: string; finding: string }[],
): Block | null {
	if (summary === null) return null;
	const head = `ccg recovery ${input.key}, continued: neither the summary nor the recovery block holds:`;
	const room = Math.min(LATER, input.maxChars) - head.length - 1;
	const all = sectionsOf("block", situationOf(input));
	const known = new Set(tellingWords(summary));
	for (const { kind, items } of all)
		for (const item of items)
			if (given.has(itemId(kind, item))) for (const word of tellingWords(item.words ?? item.text)) known.add(word);
	const findings = all.filter(({ kind }) => kind === "finding");
	const needed = findings.map((section) => ({ ...section, room, items: neededItems(section.items, known) }));
	const parts = pack([doubtSection(claims), ...needed], room);
	return parts.length === 0 ? null : { text: printBlock(head, parts), ids: idsOf(parts) };
}

/** The passages that say most which is not known, by the character and by what they are worth; none where no one of them stands out. */
function neededItems(items: readonly Item[], known: ReadonlySet<string>): Item[] {
	const weighed = items.map((item) => {
		const { worth = 0, words = "" } = item;
		const fresh = tellingWords(words).reduce((sum, word) => sum + (known.has(word) ? 0 : weightOf(word)), 0);
		return { item, gain: (worth * fresh) / (words.length + 10) };
	});
	if (!weighed.some(({ gain }) => gain >= STANDS_OUT)) return [];
	const needed = weighed.filter(({ gain }) => gain >= NEEDED).sort((a, b) => b.gain - a.gain);
	return needed.map(({ item }) => item);
}
/** With the summaries of old clients it comes in half of the compactions, with today's less often. */
const STANDS_OUT = 0.22;
const NEEDED = 0.11;

const doubtSection = (claims: readonly { sentence: string; finding: string }[]): Section => ({
	...{ kind: "doubt", room: Infinity, at: -1, heading: DOUBTS },
	items: claims.map(({ sentence, finding }, order) => ({
		text: `- the summary says: ${foreign(sentence)}; ${finding}`,
		order,
	})),
});
