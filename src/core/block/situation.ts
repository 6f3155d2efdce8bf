import type { Checkpoint, Kept, Workspace } from "../checkpoint/checkpoint.ts";
import { requestOf } from "../checkpoint/document-state.ts";
import { type Message, type SessionState, spokenDecisions } from "../state/session-state.ts";

/** What a state is shown as. The recovery block and the restored one are one view; `document` has all of it, whole. */
export type View = "block" | "document" | "handoff" | "pull request";

/** What a section may be made of. */
export interface Situation {
	/** The session, and the part of it that a summary stands for. */
	whole: SessionState;
	state: SessionState;
	request: Message | null;
	workspace: Workspace | null;
	branch: string;
	/** Paths are told from here on, absolute where they lie elsewhere. */
	base: string;
	/** ISO time by which ages are told; `""`: times are. */
	now: string;
	/** What the context holds word for word. */
	kept: readonly Kept[];
	/** Characters of the whole text. */
	maxChars: number;
	/** What a text for people tells beside the state. */
	checkpoint?: Checkpoint | undefined;
	isLive?: boolean;
	/** What is not as the checkpoint has it, in words. */
	changes?: readonly string[];
}

interface Shown extends Pick<Situation, "state" | "workspace"> {
	at?: string;
	base?: string | undefined;
	kept?: readonly Kept[] | undefined;
	maxChars?: number;
}

/** What is to be shown of a session: a block's part of it where `kept` stands beside it. */
export const situationOf = ({ state, workspace, base, at = "", kept = [], maxChars = Infinity }: Shown): Situation => ({
	whole: state,
	state: summarisedPart(state, kept),
	request: untoldRequest(state, kept),
	workspace,
	// Claude Code writes HEAD where there is no branch and no git
	branch: workspace?.branch || (state.branch === "HEAD" ? "" : state.branch),
	base: base || state.cwd,
	now: at,
	kept,
	maxChars,
});

/** All of a checkpoint. */
export const wholeOf = (checkpoint: Checkpoint): Situation => ({
	...situationOf({ ...checkpoint, at: "", base: checkpoint.projectDir, kept: [] }),
	checkpoint,
});

/** What a summary stands for: the session without what Claude Code kept word for word. It is neither told again nor missed in the summary. */
export function summarisedPart(whole: SessionState, kept: readonly Kept[] = []): SessionState {
	const state = { ...whole, decisions: spokenDecisions(whole) };
	if (kept.length === 0) return state;
	const lists = Object.entries(state).filter(([name, value]) => Array.isArray(value) && name !== "vacant");
	const left = lists.map(([name, list]) => [name, (list as { pos?: number }[]).filter((one) => !isKept(kept, one))]);
	const { plan } = state;
	return { ...state, ...Object.fromEntries(left), plan: plan && isKept(kept, plan) ? null : plan };
}

const isKept = (kept: readonly Kept[], { pos = -1 }: { pos?: number }): boolean =>
	kept.some(({ from, to = Infinity }) => pos >= from && pos <= to);

/** The request at hand where it has to be told; `null` where it stands in the context. One that waits in the queue comes by itself. */
function untoldRequest({ messages }: SessionState, kept: readonly Kept[]): Message | null {
	const request = requestOf({ messages: messages.filter((one) => !(one.waits && isKept(kept, one))) });
	return request && isKept(kept, request) ? null : request;
}
