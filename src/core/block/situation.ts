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
	checkpoint?: Checkpoint;
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
	const ranges = kept.map((one) => orderRange(state, one));
	/** By its time; what has none, by its place in the order. */
	const isBefore = ({ at, madeAt = at, order }: { at?: string; madeAt?: string; order: number }): boolean =>
		madeAt ? !isKept(kept, madeAt) : !ranges.some(([from, to]) => order >= from && order <= to);
	const lists = Object.entries(state).filter(([name, value]) => Array.isArray(value) && name !== "vacant");
	const left = lists.map(([name, list]) => [name, (list as { order: number }[]).filter(isBefore)]);
	const { plan } = state;
	return { ...state, ...Object.fromEntries(left), plan: plan && isKept(kept, plan.at) ? null : plan };
}

export const isKept = (kept: readonly Kept[], at: string | undefined): boolean =>
	!!at && kept.some(({ from, to }) => at >= from && (to === undefined || at <= to));

/** The request at hand where it has to be told; `null` where it stands in the context. One that waits in the queue comes by itself. */
function untoldRequest({ messages }: SessionState, kept: readonly Kept[]): Message | null {
	const request = requestOf({ messages: messages.filter(({ at, waits }) => !(waits && isKept(kept, at))) });
	return request && isKept(kept, request.at) ? null : request;
}

/** Where the kept messages stand in the order of calls and messages. What has no time goes by it. */
function orderRange(state: SessionState, kept: Kept): [number, number] {
	const { messages, decisions, files, calls, prose } = state;
	const orders = [
		...[messages, decisions, files, calls].flat(),
		// said behind the call of that order
		...prose.map(({ at, order }) => ({ at, order: order + 1 })),
	].flatMap(({ at, order }) => (isKept([kept], at) ? [order] : []));
	return [Math.min(...orders), kept.to === undefined ? Infinity : Math.max(-1, ...orders)];
}
