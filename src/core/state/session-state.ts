import type * as z from "zod/mini";
import type * as shapes from "./session-state-shape.ts";

export type SessionState = z.infer<typeof shapes.sessionState>;
export type Message = z.infer<typeof shapes.message>;
export type Decision = z.infer<typeof shapes.decision>;
export type Task = z.infer<typeof shapes.task>;
export type Failure = z.infer<typeof shapes.failure>;
export type BackgroundTask = z.infer<typeof shapes.backgroundTask>;
export type OpenCall = z.infer<typeof shapes.openCall>;

/** The place in the transcript of the line that is applied now, to spread into an entry made from it; empty between two lines. */
export const placeIn = ({ pos }: SessionState): { pos?: number } => (pos === undefined ? {} : { pos });

/** Whether a message is a command that the user typed for the shell: it says nothing to the agent. */
export const isShellLine = ({ source, text }: Pick<Message, "source" | "text">): boolean =>
	source === "command" && text.startsWith("! ");

/** How many calls the agent made behind a place in the order. Messages, and places they left, are numbered in it too and do not count. */
export const callsSince = ({ order: end, messages, vacant = [] }: SessionState, since: number): number =>
	end - since - messages.filter(({ order }) => order > since).length - vacant.filter((order) => order > since).length;

/** Notes that a message does not stand at its place in the order any more, so that the place does not count as a call. */
export function leavePlace(state: SessionState, order: number): void {
	state.vacant = [...(state.vacant ?? []), order].slice(-MAX_VACANT);
}
const MAX_VACANT = 100;

/** Counts entries that were dropped to keep a list within its bound. */
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
 * Drops entries until a list is within its bound, and counts them. The oldest entry that the first of the tests `less` accepts goes
 * first, then by the next test; where no test accepts one, the oldest of all. The newest `keptLast` entries are not tested.
 */
export function boundList<K extends keyof typeof MOST>(
	state: SessionState,
	name: K,
	less: readonly ((one: SessionState[K][number]) => boolean)[] = [],
	keptLast = 0,
): void {
	const list: SessionState[K][number][] = state[name];
	while (list.length > MOST[name]) {
		const older = list.slice(0, list.length - keptLast);
		const index = less.map((isLess) => older.findIndex(isLess)).find((at) => at >= 0);
		list.splice(index ?? 0, 1);
		countDropped(state, name);
	}
}

/** The entries of a list without those whose key comes again later, in their order. */
export function lastOfEach<T>(all: readonly T[], keyOf: (one: T) => string): T[] {
	const keys = all.map(keyOf);
	const last = new Map(keys.map((key, at) => [key, at]));
	return all.filter((_, at) => last.get(keys[at]!) === at);
}

/** The user's answers, rejections and judgements of plans: all decisions but mere permissions, which need not be told. */
export const spokenDecisions = ({ decisions }: Pick<SessionState, "decisions">): Decision[] =>
	decisions.filter(({ kind }) => kind !== "allowed");

/** The version of a state's form; a state of another version is not read. */
export const STATE_VERSION = 5;
/** The state of a session of which nothing was read yet. */
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
