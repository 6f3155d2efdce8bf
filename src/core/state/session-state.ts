import type * as z from "zod/mini";
import type * as shapes from "./session-state-shape.ts";

export type SessionState = z.infer<typeof shapes.sessionState>;
export type Message = z.infer<typeof shapes.message>;
export type Decision = z.infer<typeof shapes.decision>;
export type Task = z.infer<typeof shapes.task>;
export type Failure = z.infer<typeof shapes.failure>;
export type BackgroundTask = z.infer<typeof shapes.backgroundTask>;
export type OpenCall = z.infer<typeof shapes.openCall>;

/** The place in the transcript of the line that is applied now, to spread into an entry that is made from it; `{}` between two lines. */
export const currentPos = ({ pos }: SessionState): { pos?: number } => (pos === undefined ? {} : { pos });

/** Whether a message is a command that the user typed for the shell: it says nothing to the agent. */
export const isShellLine = ({ source, text }: Pick<Message, "source" | "text">): boolean =>
	source === "command" && text.startsWith("! ");

/** How many calls the agent made after this number. Calls and messages are numbered in one order; messages and `vacant` numbers don't count. */
export function countCallsSince({ order: lastOrder, messages, vacant = [] }: SessionState, sinceOrder: number): number {
	const otherOrders = [...messages.map(({ order }) => order), ...vacant];
	return lastOrder - sinceOrder - otherOrders.filter((order) => order > sinceOrder).length;
}

/** Notes the number in the order that a moved or removed message had, so that it does not count as a call's. */
export function addVacantOrder(state: SessionState, order: number): void {
	state.vacant = [...(state.vacant ?? []), order].slice(-MAX_VACANT);
}
const MAX_VACANT = 100;

/** Counts entries that were dropped to keep a list within its bound. */
export function countDropped(state: SessionState, name: string, count = 1): void {
	state.dropped[name] = (state.dropped[name] ?? 0) + count;
}

const MAX_ENTRIES = {
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
 * Drops entries until a list is within its bound, and counts them. The oldest entry that `mayGoFirst` accepts is dropped, else the oldest of
 * all. The newest `protectedCount` entries are not tested.
 */
export function trimList<K extends keyof typeof MAX_ENTRIES>(
	state: SessionState,
	name: K,
	mayGoFirst: (entry: SessionState[K][number]) => boolean = () => false,
	protectedCount = 0,
): void {
	const list: SessionState[K][number][] = state[name];
	while (list.length > MAX_ENTRIES[name]) {
		const index = list.slice(0, list.length - protectedCount).findIndex(mayGoFirst);
		list.splice(Math.max(0, index), 1);
		countDropped(state, name);
	}
}

/** The entries of a list without those whose key comes again later, in their order. */
export function lastOfEachKey<T>(entries: readonly T[], keyOf: (entry: T) => string): T[] {
	const keys = entries.map(keyOf);
	const lastIndex = new Map(keys.map((key, index) => [key, index]));
	return entries.filter((_, index) => lastIndex.get(keys[index]!) === index);
}

/** The user's answers, rejections and judgements of plans: all decisions but mere permissions, which need not be told. */
export const decisionsWithoutPermissions = ({ decisions }: Pick<SessionState, "decisions">): Decision[] =>
	decisions.filter(({ kind }) => kind !== "allowed");

/** The version of a state's form; a state of another version is not read. */
export const STATE_VERSION = 5;
/** The state of a session of which nothing was read yet. */
export function emptyState(): SessionState {
	return {
		version: STATE_VERSION,
		...{ startedAt: "", order: 0, boundaries: 0 },
		...{ messages: [], decisions: [], plan: null, tasks: [], files: [], calls: [], failures: [] },
		...{ backgroundTasks: [], commits: [], prose: [] },
		...{ cwd: "", branch: "", claudeVersion: "", model: "", tokens: null, open: {}, dropped: {} },
	};
}
