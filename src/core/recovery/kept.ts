import type * as z from "zod/mini";
import type { Message, SessionState } from "../state/session-state.ts";
import { requestOf } from "./said-items.ts";
import type * as stored from "./stored-shapes.ts";

/** Messages that stand in the context word for word beside a summary: ISO times, without `to` up to now. */
export type Kept = z.infer<typeof stored.kept>;

/** What a summary stands for: the session without what Claude Code kept word for word. It is neither told again nor missed in the summary. */
export function summarisedPart(state: SessionState, kept: readonly Kept[] = []): SessionState {
	if (kept.length === 0) return state;
	const ranges = kept.map((one) => orderRange(state, one));
	const isBefore = ({ at, order }: { at?: string; order: number }): boolean =>
		!isKept(kept, at) && !ranges.some(([from, to]) => order >= from && order <= to);
	const { plan, deeds } = state;
	return {
		...state,
		messages: state.messages.filter(isBefore),
		decisions: state.decisions.filter(isBefore),
		plan: plan && isKept(kept, plan.at) ? null : plan,
		tasks: state.tasks.filter(({ madeAt }) => !isKept(kept, madeAt)),
		files: state.files.filter(isBefore),
		commands: state.commands.filter(isBefore),
		failures: state.failures.filter(isBefore),
		backgroundTasks: state.backgroundTasks.filter(isBefore),
		questions: state.questions.filter(({ at }) => !isKept(kept, at)),
		assumptions: state.assumptions.filter(({ at }) => !isKept(kept, at)),
		commits: state.commits.filter(isBefore),
		checks: state.checks.filter(isBefore),
		searches: state.searches.filter(isBefore),
		prose: state.prose.filter(({ at }) => !isKept(kept, at)),
		...(deeds && { deeds: deeds.filter(isBefore) }),
	};
}

export const isKept = (kept: readonly Kept[], at: string | undefined): boolean =>
	!!at && kept.some(({ from, to }) => at >= from && (to === undefined || at <= to));

/** The request at hand where it has to be told; `null` where it stands in the context. One that waits in the queue comes by itself. */
export function untoldRequest({ messages }: SessionState, kept: readonly Kept[]): Message | null {
	const request = requestOf({ messages: messages.filter(({ at, waits }) => !(waits && isKept(kept, at))) });
	return request && isKept(kept, request.at) ? null : request;
}

/** Where the kept messages stand in the order of calls and messages. What has no time goes by it. */
function orderRange(state: SessionState, kept: Kept): [number, number] {
	const orders = [
		...[state.messages, state.decisions, state.files, state.commands, state.checks, state.searches].flatMap((list) =>
			list.flatMap(({ at, order }) => (isKept([kept], at) ? [order] : [])),
		),
		// said behind the call of that order
		...state.prose.flatMap(({ at, order }) => (isKept([kept], at) ? [order + 1] : [])),
	];
	const from = Math.min(...orders);
	return [from, kept.to === undefined ? Infinity : Math.max(-1, ...orders)];
}
