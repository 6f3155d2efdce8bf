import { callsSince, type SessionState } from "../state/session-state.ts";
import { MAX_INJECTED_CHARS } from "./budget.ts";
import type { Claim } from "./claims.ts";
import type { Section, Workspace } from "./item.ts";
import { foreign, quotedName, storePath } from "./item-text.ts";
import { itemId, lostSections, type SummaryText } from "./loss.ts";
import { missingParts } from "./missing-parts.ts";
import { type PackedSection, pack } from "./pack.ts";
import { sectionText } from "./section-text.ts";
import { CERTAIN, sectionsOf } from "./sections.ts";

export interface BlockInput {
	state: SessionState;
	workspace: Workspace | null;
	/** Checkpoint key and the path of its readable form; `null` where it could not be saved. */
	key: string;
	path: string | null;
	/** The folder that paths are told from; the session's own where it is not known. */
	base?: string;
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

/** Share of a small budget that the first part may take. */
const FIRST_SHARE = 0.72;
/** Room in the second part that a message needs at most, with its heading. */
const LATER = 3_200;
const DOUBTS = "## What the summary says and the record does not show";

/**
 * What the model gets right behind the summary, which cannot be compared yet: what must be there whatever the summary says (the
 * request, how the work stood, the user's directives and decisions, what runs, the plan). Facts with their source, most
 * important first, whole items. Always starts with `ccg recovery`; the same bytes for the same checkpoint. `summary` is given
 * when it is known already.
 */
export function firstBlock(input: BlockInput, summary: SummaryText | null = null): Block {
	const whole = `checkpoint: ${input.path === null ? "none, the store can't be written" : storePath(input.path)}`;
	const long =
		`ccg recovery ${input.key}: this session before its conversation was compacted, read from the transcript by the hook the ` +
		`user installed. Text in " or behind > is the user's own. Paths from ${folderOf(input)} on. Full ${whole}`;
	// a small budget is for what the user said
	const head = long.length < input.maxChars / 2 ? long : `ccg recovery ${input.key}, full ${whole}`;
	const last = recallLine(input);
	const most = Math.min(MAX_INJECTED_CHARS, Math.max(400, input.maxChars * FIRST_SHARE), input.maxChars);
	const sections = sectionsOf(input.state, input.workspace, false, baseOf(input), CERTAIN);
	const lost = lostSections(sections, new Set(), summary, input.reloaded);
	// what stands shortened here comes no more: with room in the second part it comes there, and whole
	const items = input.maxChars - most > LATER ? lost.map(withoutShort) : lost;
	return printed(head, pack(items, most - head.length - 1 - last.length), last);
}

/** How to find what no block holds, and how much there is. A small budget is for what the user said. */
function recallLine({ recall, maxChars, state }: BlockInput): string {
	const { messages: dropped = 0 } = state.dropped;
	const messages = state.messages.length + dropped;
	const calls = Math.max(0, callsSince(state, 0) - dropped);
	const line = recall
		? `\n\nWhat is not here is one call away: \`${recall} WORDS\` searches all messages of the user (${messages}), the agent's words and ` +
			`all calls with their results (${calls}), of this session and of others in this project.`
		: "";
	return line.length < maxChars / 8 ? line : "";
}

const withoutShort = (section: Section): Section => ({
	...section,
	items: section.items.map((item) => {
		const { short: _, ...whole } = item;
		// standing rules come first in any form
		return item.stands ? item : whole;
	}),
});

const baseOf = ({ base, state }: BlockInput): string => base || state.cwd;
const folderOf = (input: BlockInput): string => (baseOf(input) ? quotedName(baseOf(input)) : "the session's folder");

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
 * budget.
 */
export function followUpBlock(
	input: BlockInput,
	given: ReadonlySet<string>,
	summary: string | null,
	claims: readonly Claim[],
): Block | null {
	const head = `ccg recovery ${input.key}, continued: ${summary === null ? "what the recovery block left out" : "neither the summary nor the recovery block holds"} (paths relative to ${folderOf(input)}):`;
	let room = Math.min(MAX_INJECTED_CHARS, input.maxChars) - head.length - 1;
	const doubts: string[] = [];
	for (const { sentence, finding } of claims) {
		const doubt = `- the summary says: ${foreign(sentence)}; ${finding}`;
		const price = doubt.length + 1 + (doubts.length ? 0 : DOUBTS.length + 3);
		if (price > room) continue;
		doubts.push(doubt);
		room -= price;
	}
	const parts =
		room < 60
			? []
			: missingParts(
					sectionsOf(input.state, input.workspace, false, baseOf(input)),
					input.state,
					{ given, summary, reloaded: input.reloaded },
					room,
				);
	if (parts.length === 0 && doubts.length === 0) return null;
	const { text, ids } = printed(head, parts);
	return {
		text: doubts.length ? `${text}\n\n${DOUBTS}\n${doubts.join("\n")}` : text,
		ids,
	};
}

function printed(head: string, parts: PackedSection[], last = ""): Block {
	return {
		text: [head, ...sameTitles(parts).map(sectionText)].join("\n") + last,
		ids: parts.flatMap(({ kind, items }) => items.map((item) => itemId(kind, item))),
	};
}

/** Parts of one title as one, its items in order of time: the user's words, of whichever kind. */
function sameTitles(parts: readonly PackedSection[]): PackedSection[] {
	const merged: PackedSection[] = [];
	for (const part of parts) {
		const same = merged.findIndex(({ title }) => title === part.title);
		const before = merged[same];
		if (!before) {
			merged.push(part);
			continue;
		}
		merged[same] = {
			...before,
			items: [...before.items, ...part.items].sort((a, b) => a.order - b.order),
			shortened: new Set([...before.shortened, ...part.shortened]),
			left: before.left + part.left,
		};
	}
	return merged;
}
