import type { Checkpoint, VerbatimRange, Workspace } from "../checkpoint/checkpoint.ts";
import { lastRequest } from "../checkpoint/document-state.ts";
import { decisionsWithoutPermissions, type Message, type SessionState } from "../state/session-state.ts";

/** A form in which a state is shown. The recovery block and the restored block are one view; `document` shows all of the state. */
export type View = "block" | "document" | "handoff" | "pull request";

/** The facts that sections are made of. */
export interface SectionFacts {
	/** All of the session; `state` and `request` are only the part of it that the summary replaces. */
	wholeState: SessionState;
	state: SessionState;
	request: Message | null;
	workspace: Workspace | null;
	branch: string;
	/** The folder to which shown paths are relative; paths elsewhere are absolute. */
	baseFolder: string;
	/** ISO time from which ages are counted; `""`: times are shown instead. */
	now: string;
	/** The lines that the context holds word for word. */
	verbatimRanges: readonly VerbatimRange[];
	/** The most characters of the whole text. */
	maxChars: number;
	/** The checkpoint that a text for people is made of. */
	checkpoint?: Checkpoint | undefined;
	isLive?: boolean;
	/** What has changed since the checkpoint, in words. */
	changes?: readonly string[];
}

interface FactsInput extends Pick<SectionFacts, "state" | "workspace"> {
	at?: string;
	base?: string | undefined;
	kept?: readonly VerbatimRange[] | undefined;
	maxChars?: number;
}

/** Gathers the facts to show a session from. `state` and `request` leave out what the context still holds, in the lines that `kept` names. */
export function sectionFacts(input: FactsInput): SectionFacts {
	const { state, workspace, base, at = "", kept: verbatimRanges = [], maxChars = Infinity } = input;
	return {
		...{ workspace, verbatimRanges, maxChars },
		wholeState: state,
		state: summarisedState(state, verbatimRanges),
		request: summarisedRequest(state, verbatimRanges),
		// Claude Code writes HEAD where there is no branch and no git
		branch: workspace?.branch || (state.branch === "HEAD" ? "" : state.branch),
		baseFolder: base || state.cwd,
		now: at,
	};
}

/** Gathers the facts to show all of a checkpoint from. */
export const checkpointFacts = (checkpoint: Checkpoint): SectionFacts => ({
	...sectionFacts({ ...checkpoint, at: "", base: checkpoint.projectDir, kept: [] }),
	checkpoint,
});

/** The part of a session that a summary replaces: without the lines that Claude Code kept word for word, and without mere permissions. */
export function summarisedState(wholeState: SessionState, verbatimRanges: readonly VerbatimRange[] = []): SessionState {
	const state = { ...wholeState, decisions: decisionsWithoutPermissions(wholeState) };
	if (verbatimRanges.length === 0) return state;
	const isReplaced = (entry: { pos?: number }): boolean => !isVerbatim(entry, verbatimRanges);
	// `vacant` is a list of numbers, all other lists have entries with a place
	const lists = Object.entries(state).filter(([name, value]) => Array.isArray(value) && name !== "vacant");
	const replaced = lists.map(([name, entries]) => [name, (entries as { pos?: number }[]).filter(isReplaced)]);
	return { ...state, ...Object.fromEntries(replaced), plan: state.plan && isReplaced(state.plan) ? state.plan : null };
}
/** Whether an entry's line in the transcript is one that the context holds word for word. */
const isVerbatim = ({ pos = -1 }: { pos?: number }, verbatimRanges: readonly VerbatimRange[]): boolean =>
	verbatimRanges.some(({ from, to = Infinity }) => pos >= from && pos <= to);

/** The user's last message, or `null` where the context holds it word for word. One that does and is still queued is passed over: it comes by itself. */
function summarisedRequest({ messages }: SessionState, verbatimRanges: readonly VerbatimRange[]): Message | null {
	const isStillQueued = (message: Message): boolean => Boolean(message.waits) && isVerbatim(message, verbatimRanges);
	const request = lastRequest({ messages: messages.filter((message) => !isStillQueued(message)) });
	return request && isVerbatim(request, verbatimRanges) ? null : request;
}
