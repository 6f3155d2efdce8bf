import type * as z from "zod/mini";
import type * as shapes from "./session-state-shape.ts";

export type SessionState = z.infer<typeof shapes.sessionState>;
export type Message = z.infer<typeof shapes.message>;
export type Said = z.infer<typeof shapes.said>;
export type Prose = z.infer<typeof shapes.prose>;
export type Commit = z.infer<typeof shapes.commit>;
export type Check = z.infer<typeof shapes.check>;
export type Decision = z.infer<typeof shapes.decision>;
export type Task = z.infer<typeof shapes.task>;
export type Failure = z.infer<typeof shapes.failure>;
export type BackgroundTask = z.infer<typeof shapes.backgroundTask>;
export type OpenCall = z.infer<typeof shapes.openCall>;

/** The calls of the agent behind a place in the order: messages are counted in it as well. */
export const callsSince = ({ order: end, messages, vacant = [] }: SessionState, since: number): number =>
	end - since - messages.filter(({ order }) => order > since).length - vacant.filter((order) => order > since).length;

/** A message does not stand at its place in the order any more. */
export function leavePlace(state: SessionState, order: number): void {
	state.vacant = [...(state.vacant ?? []), order].slice(-MAX_VACANT);
}
const MAX_VACANT = 100;

/** Counts what a bound of a list cost. */
export function countDropped(state: SessionState, name: string, count = 1): void {
	state.dropped[name] = (state.dropped[name] ?? 0) + count;
}

/** Keeps the last so many of a list. */
export function keepLast(state: SessionState, name: "commands" | "failures", max: number): void {
	const list = state[name];
	while (list.length > max) {
		list.shift();
		countDropped(state, name);
	}
}

/** What came of an event, for who keeps more of it than the state. */
export interface Applied {
	/** Of a message: it is none that was queued before. Of one taken back: it was never given. */
	counts?: boolean;
	/** The call that was made, or whose result this is. */
	call?: OpenCall;
	decision?: Decision;
}

export function emptyState(): SessionState {
	return {
		version: 4,
		startedAt: "",
		order: 0,
		boundaries: 0,
		messages: [],
		decisions: [],
		plan: null,
		tasks: [],
		files: [],
		commands: [],
		failures: [],
		backgroundTasks: [],
		questions: [],
		assumptions: [],
		commits: [],
		checks: [],
		searches: [],
		deeds: [],
		prose: [],
		lastSaid: "",
		cwd: "",
		branch: "",
		claudeVersion: "",
		model: "",
		tokens: null,
		open: {},
		dropped: {},
	};
}
