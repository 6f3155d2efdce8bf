import type { Checkpoint, Kept, Workspace } from "../checkpoint/checkpoint.ts";
import { requestOf } from "../checkpoint/document-state.ts";
import { type Message, type SessionState, spokenDecisions } from "../state/session-state.ts";

/** A form in which a state is shown. The recovery block and the restored block are one view; `document` shows all of the state. */
export type View = "block" | "document" | "handoff" | "pull request";

/** The facts that sections are made of. */
export interface Situation {
	/** The whole session; `state` is the part of it that the summary replaces. */
	whole: SessionState;
	state: SessionState;
	request: Message | null;
	workspace: Workspace | null;
	branch: string;
	/** The folder to which shown paths are relative; paths elsewhere are absolute. */
	base: string;
	/** ISO time from which ages are counted; `""`: times are shown instead. */
	now: string;
	/** The lines that the context holds word for word. */
	kept: readonly Kept[];
	/** The most characters of the whole text. */
	maxChars: number;
	/** The checkpoint that a text for people is made of. */
	checkpoint?: Checkpoint | undefined;
	isLive?: boolean;
	/** What has changed since the checkpoint, in words. */
	changes?: readonly string[];
}

interface Shown extends Pick<Situation, "state" | "workspace"> {
	at?: string;
	base?: string | undefined;
	kept?: readonly Kept[] | undefined;
	maxChars?: number;
}

/** The facts to show a session from. Where `kept` names lines that the context still holds, `state` and `request` leave those out. */
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

/** The facts to show all of a checkpoint from. */
export const wholeOf = (checkpoint: Checkpoint): Situation => ({
	...situationOf({ ...checkpoint, at: "", base: checkpoint.projectDir, kept: [] }),
	checkpoint,
});

/** The part of a session that a summary replaces: without the lines that Claude Code kept word for word, and without mere permissions. */
export function summarisedPart(whole: SessionState, kept: readonly Kept[] = []): SessionState {
	const state = { ...whole, decisions: spokenDecisions(whole) };
	if (kept.length === 0) return state;
	const lists = Object.entries(state).filter(([name, value]) => Array.isArray(value) && name !== "vacant");
	const rest = lists.map(([name, list]) => [name, (list as { pos?: number }[]).filter((one) => !isKept(kept, one))]);
	const { plan } = state;
	return { ...state, ...Object.fromEntries(rest), plan: plan && isKept(kept, plan) ? null : plan };
}
/** Whether an entry stands in the lines that the context holds word for word. */
const isKept = (kept: readonly Kept[], { pos = -1 }: { pos?: number }): boolean =>
	kept.some(({ from, to = Infinity }) => pos >= from && pos <= to);

/** The user's last message, or `null` where the context still holds it; a kept message that waits in the queue comes by itself: not counted. */
function untoldRequest({ messages }: SessionState, kept: readonly Kept[]): Message | null {
	const request = requestOf({ messages: messages.filter((one) => !(one.waits && isKept(kept, one))) });
	return request && isKept(kept, request) ? null : request;
}
