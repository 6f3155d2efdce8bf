import type { SessionState } from "../state/session-state.ts";
import type { Claim } from "./claims.ts";
import type { Kind, Workspace } from "./item.ts";
import { quotedName, storePath } from "./item-text.ts";
import { itemId, lostSections, type SummaryText } from "./loss.ts";
import { type PackedSection, pack } from "./pack.ts";
import { sectionsOf } from "./sections.ts";

export interface BlockInput {
	state: SessionState;
	workspace: Workspace | null;
	/** Checkpoint key and the path of its readable form. */
	key: string;
	path: string;
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

/** What the summary may well hold, better injected once it can be compared: never first while budget is short. */
const LATER = new Set<Kind>([
	"done",
	"file changed",
	"file read",
	"workspace",
	"search",
	"command",
	"assumption",
	"name",
]);
/** Share of the budget that is used before the summary is known, when not everything fits. */
const FIRST_SHARE = 0.72;
const DOUBTS = "## What the summary says and the record does not show";

/**
 * What the model gets right behind the summary: facts with their source, most important first, whole items. Everything when
 * it fits the budget; else what summaries lose most, and the rest later, when the summary is known. Always starts with `ccg
 * recovery`; the same bytes for the same checkpoint. `summary` is given when it is known already.
 */
export function firstBlock(input: BlockInput, summary: SummaryText | null = null): Block {
	const long =
		`ccg recovery ${input.key}: the state of this session before its conversation was compacted, read from the transcript by the ` +
		"ccg hook the user installed. Quoted text is the user's own, in order; it was answered or worked on before the compaction unless the tasks " +
		`say otherwise. Paths are relative to ${folderOf(input)}. Full checkpoint: ${storePath(input.path)}`;
	// a small budget is for what the user said
	const head =
		long.length < input.maxChars / 2 ? long : `ccg recovery ${input.key}, full checkpoint: ${storePath(input.path)}`;
	const last = recallLine(input);
	const room = input.maxChars - head.length - 1 - last.length;
	const sections = lostSections(
		sectionsOf(input.state, input.workspace, false, baseOf(input)),
		new Set(),
		summary,
		input.reloaded,
	);
	const whole = pack(sections, room);
	if (summary || count(whole) === count(sections)) return printed(head, whole, last);
	const first = sections.filter(({ kind }) => !LATER.has(kind));
	const share = Math.max(400, input.maxChars * FIRST_SHARE - head.length - 1 - last.length);
	return printed(head, pack(first, Math.min(room, share)), last);
}

/** How to find what no block holds, and how much there is. A small budget is for what the user said. */
function recallLine({ recall, maxChars, state }: BlockInput): string {
	const { order: calls, dropped } = state;
	const messages = state.messages.length + (dropped.messages ?? 0);
	const line = recall
		? `\n\nWhat neither the summary nor this block holds is one call away: \`${recall} WORDS\` searches all ${messages} messages of the user, ` +
			`the agent's own words and ${calls} calls with their results, of this session and of others in this project.`
		: "";
	return line.length < maxChars / 8 ? line : "";
}

const baseOf = ({ base, state }: BlockInput): string => base || state.cwd;
const folderOf = (input: BlockInput): string => (baseOf(input) ? quotedName(baseOf(input)) : "the session's folder");

const count = (sections: readonly { items: unknown[] }[]): number =>
	sections.reduce((sum, { items }) => sum + items.length, 0);

/** The text of the block alone. */
export const recoveryBlock = (input: BlockInput): string => firstBlock(input).text;

/**
 * What is missing from both the summary and the recovery block, injected once with a later event; `null` when nothing
 * is. `maxChars` is what the recovery block left of the budget.
 */
export function followUpBlock(
	input: BlockInput,
	given: ReadonlySet<string>,
	summary: SummaryText | null,
	claims: readonly Claim[],
): Block | null {
	const head = `ccg recovery ${input.key}, continued: ${summary ? "neither the summary nor the recovery block holds" : "what the recovery block left out"} (paths relative to ${folderOf(input)}):`;
	let room = input.maxChars - head.length - 1;
	const doubts: string[] = [];
	for (const { sentence, finding } of claims) {
		const doubt = `- the summary says: '${sentence}'; ${finding}`;
		const price = doubt.length + 1 + (doubts.length ? 0 : DOUBTS.length + 3);
		if (price > room) continue;
		doubts.push(doubt);
		room -= price;
	}
	const packed =
		room < 60
			? []
			: pack(
					lostSections(sectionsOf(input.state, input.workspace, false, baseOf(input)), given, summary, input.reloaded),
					room,
				);
	if (packed.length === 0 && doubts.length === 0) return null;
	const { text, ids } = printed(head, packed);
	return {
		text: doubts.length ? `${text}\n\n${DOUBTS}\n${doubts.join("\n")}` : text,
		ids,
	};
}

function printed(head: string, packed: PackedSection[], last = ""): Block {
	return {
		text: [head, ...packed.map(sectionText)].join("\n") + last,
		ids: packed.flatMap(({ kind, items }) => items.map((item) => itemId(kind, item))),
	};
}

/** A section with its heading; tells how many items are in the checkpoint only. */
export function sectionText({ title, items, left, separator }: Omit<PackedSection, "kind">): string {
	const note = left > 0 ? ` (${left} more in the checkpoint)` : "";
	return `\n## ${title}${note}\n${items.map((item) => item.text).join(separator)}`;
}
