import type * as z from "zod/mini";
import type * as shapes from "./session-state-shape.ts";

export type SessionState = z.infer<typeof shapes.sessionState>;
export type Message = z.infer<typeof shapes.message>;
export type Decision = z.infer<typeof shapes.decision>;
export type Task = z.infer<typeof shapes.task>;
export type Failure = z.infer<typeof shapes.failure>;
export type BackgroundTask = z.infer<typeof shapes.backgroundTask>;
export type OpenCall = z.infer<typeof shapes.openCall>;

/** The place of the line that is applied, for what it makes. */
export const placeIn = ({ pos }: SessionState): { pos?: number } => (pos === undefined ? {} : { pos });

/** A command the user typed for the shell: it says nothing to the agent. */
export const isShellLine = ({ source, text }: Pick<Message, "source" | "text">): boolean =>
	source === "command" && text.startsWith("! ");

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

const MOST = {
	backgroundTasks: 40,
	calls: 40,
	commits: 40,
	decisions: 200,
	failures: 40,
	files: 400,
	messages: 400,
	tasks: 100,
} as const;

/**
 * Keeps so many of a list and counts the others: the first that `goes` finds goes first, by each of them in turn; where none is
 * found, the oldest. `last` of them stay whatever they are.
 */
export function boundList<K extends keyof typeof MOST>(
	state: SessionState,
	name: K,
	goes: readonly ((one: SessionState[K][number]) => boolean)[] = [],
	last = 0,
): void {
	const list: SessionState[K][number][] = state[name];
	while (list.length > MOST[name]) {
		const older = list.slice(0, list.length - last);
		const found = goes.map((isLess) => older.findIndex(isLess)).find((at) => at >= 0);
		list.splice(found ?? 0, 1);
		countDropped(state, name);
	}
}

/** The last of those with the same key, in their order. */
export function lastOfEach<T>(all: readonly T[], keyOf: (one: T) => string): T[] {
	const keys = all.map(keyOf);
	const last = new Map(keys.map((key, at) => [key, at]));
	return all.filter((_, at) => last.get(keys[at]!) === at);
}

/** What the user said no, yes or something to; what they merely allowed when asked goes without saying. */
export const spokenDecisions = ({ decisions }: Pick<SessionState, "decisions">): Decision[] =>
	decisions.filter(({ kind }) => kind !== "allowed");

/** The form of a state; one of another form is not read. */
export const STATE_VERSION = 5;

export function emptyState(): SessionState {
	return {
		version: STATE_VERSION,
		startedAt: "",
		order: 0,
		boundaries: 0,
		messages: [],
		decisions: [],
		plan: null,
		tasks: [],
		files: [],
		calls: [],
		failures: [],
		backgroundTasks: [],
		commits: [],
		prose: [],
		cwd: "",
		branch: "",
		claudeVersion: "",
		model: "",
		tokens: null,
		open: {},
		dropped: {},
	};
}
