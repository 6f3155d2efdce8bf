import type { Checkpoint, VerbatimRange } from "../checkpoint/checkpoint.ts";
import { nameInBackticks, storePath } from "../text/quoted.ts";
import { packSections } from "./pack.ts";
import { printBlock } from "./print.ts";
import { viewSections } from "./sections.ts";
import { sectionFacts } from "./situation.ts";

interface BlockInput extends Pick<Checkpoint, "state" | "workspace" | "key" | "at"> {
	/** The path of the checkpoint's readable form; `null` where it could not be saved. */
	path: string | null;
	/** The folder that paths are told from; the session's own where it is not known. */
	base?: string;
	/** The lines that the context holds word for word. */
	kept?: readonly VerbatimRange[] | undefined;
	/** Budget in characters for the whole text. */
	maxChars: number;
	/** `ccg recall` as the agent can type it; absent without a search index. */
	recall?: string | undefined;
}

/** A text for the model, and which of the user's messages stand in it, by their `order`: whole, or a part. */
export interface Block {
	text: string;
	messages: ReadonlyMap<number, "whole" | "part">;
}

/**
 * Makes the text that the model gets right behind the summary: the request, how the work stood, what is open, the user's words. Facts with
 * their source, whole items. Always starts with `ccg recovery`; the same bytes for the same checkpoint.
 */
export function recoveryBlock(input: BlockInput): Block {
	const { key, path, maxChars, recall, base, state } = input;
	const folder = base || state.cwd;
	const head =
		`ccg recovery ${key}: this session before its conversation was compacted, read from the transcript by the hook the ` +
		`user installed. The user's own words stand behind > and in the sections that say so; all else is the agent's, a tool's or a file's. Paths from ${folder ? nameInBackticks(folder) : "the session's folder"} on.`;
	const savedLine =
		path === null ? "No checkpoint was saved: the store can't be written." : `All that was saved: ${storePath(path)}`;
	const footer = `\n\n${recall ? `${recallHint(recall)} ` : ""}${savedLine}`;
	const parts = packSections(viewSections("block", sectionFacts(input)), maxChars - head.length - 1 - footer.length);
	const usersItems = parts.flatMap(({ isUsersWords, items }) => (isUsersWords ? items : []));
	const messages = new Map(usersItems.map((item) => [item.order, item.isShortened ? "part" : "whole"] as const));
	return { text: printBlock(head, parts) + footer, messages };
}

/** Advice to search with the command `recallCommand`. The wording was chosen by how agents acted on it (docs/measured.md). */
const recallHint = (recallCommand: string): string =>
	`Most of what happened is not above. Before you change, run or answer something that was worked on earlier, ask first: \`${recallCommand} WORDS\` prints what was said, done and found then.`;
