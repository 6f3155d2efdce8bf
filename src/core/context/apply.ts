import { applyToState } from "../state/apply.ts";
import { applyTaskListing, endUnlistedTasks, type TaskListing } from "../state/background-tasks.ts";
import type { BackgroundTask } from "../state/session-state.ts";
import { safeName } from "../text/safe-head.ts";
import type { EventLine, EventOf, TranscriptEvent } from "../transcript/event.ts";
import { type EndedTask, type SessionSnapshot, unixSeconds, zeroUsage } from "./session-context.ts";

/** Applies a transcript's line to a session's record, in place: to its state, and to its counts of calls and tokens. */
export const applyLine = lineApplier(applyEvent);

/** Applies a transcript's line to the state in a record alone, without the counts. */
export const applyLineToState = lineApplier(applyAndEndUnlisted);
/** Makes a function that applies each event of a line by `apply`; `state.pos` is the line's place in the transcript meanwhile. */
function lineApplier(apply: (record: SessionSnapshot, event: TranscriptEvent) => void) {
	return (record: SessionSnapshot, { pos, events }: EventLine): void => {
		record.state.pos = pos;
		for (const event of events) apply(record, event);
		delete record.state.pos;
	};
}
/** Applies an event to the state, then ends tasks missing in `account`, Claude Code's last list of background tasks. */
function applyAndEndUnlisted({ state, account: lastListing }: SessionSnapshot, event: TranscriptEvent): void {
	applyToState(state, event);
	if (lastListing) endUnlistedTasks(state, lastListing);
}
/** Applies an event to the state, and counts what it tells of calls, failures, tokens and ended tasks. */
function applyEvent(record: SessionSnapshot, event: TranscriptEvent): void {
	const { state, tool_stats: stats } = record;
	const runningBefore = state.backgroundTasks;
	applyAndEndUnlisted(record, event);
	addEndedTasks(record, runningBefore, "at" in event ? event.at : "");
	if (event.kind === "message") record.ended = "";
	if (event.kind === "call") countCall(record, safeName(event.tool).slice(0, 100));
	if (event.kind === "result" && event.failed) stats.failures++;
	if (event.kind === "usage") countUsage(record, event);
}

const MAX_TOOLS = 300;
/** Counts a call, in all and by its tool; tools beyond the limit are counted in all only. */
function countCall({ tool_stats: stats }: SessionSnapshot, tool: string): void {
	stats.total_calls++;
	if (Object.hasOwn(stats.by_tool, tool)) stats.by_tool[tool]!++;
	else if (Object.keys(stats.by_tool).length < MAX_TOOLS) setOwnProperty(stats.by_tool, tool, 1);
}

/** Sets a property of an object, also under a name that every object inherits. */
function setOwnProperty<T>(object: Record<string, T>, name: string, value: T): void {
	Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
}

const MAX_COUNTED = 64;
const MAX_MODELS = 40;

/**
 * Adds an API message's tokens to its model's sum, once. A message has several lines, also with others in between: each further line
 * adds only what is more than was counted, because the last line holds the final number of output tokens.
 */
function countUsage({ token_usage: usage, counted_messages: counted }: SessionSnapshot, event: EventOf<"usage">): void {
	const model = safeName(event.model).slice(0, 100);
	const id = event.messageId.slice(0, 100);
	if (!Object.hasOwn(usage, model)) {
		if (Object.keys(usage).length >= MAX_MODELS) return;
		setOwnProperty(usage, model, zeroUsage());
	}
	const sum = usage[model]!;
	let message = counted.find((one) => id !== "" && one.id === id);
	if (message && message.model !== model) return;
	if (!message) {
		const { messages: _, ...noTokens } = zeroUsage();
		message = { id, model, ...noTokens };
		sum.messages++;
		if (id) counted.push(message);
		if (counted.length > MAX_COUNTED) counted.shift();
	}
	const tokens = {
		input_tokens: event.input ?? event.tokens,
		output_tokens: event.output ?? 0,
		cache_creation_tokens: event.cacheCreation ?? 0,
		cache_read_tokens: event.cacheRead ?? 0,
	};
	for (const name of Object.keys(tokens) as (keyof typeof tokens)[]) {
		const more = Math.max(0, tokens[name] - message[name]);
		message[name] += more;
		sum[name] += more;
	}
}

const MAX_ENDED = 60;

/** Adds to the record's ended tasks those background tasks that were running `before` and are not in its state any more. */
function addEndedTasks(
	record: SessionSnapshot,
	before: readonly BackgroundTask[],
	at: string,
	status: EndedTask["status"] = "ended",
): void {
	const { state, ended_tasks: endedBefore } = record;
	if (state.backgroundTasks === before) return;
	const running = new Set(state.backgroundTasks.map(({ id }) => id));
	const newlyEnded = before
		.filter(({ id }) => !running.has(id))
		.map((one) => ({ ...one, status, seen: unixSeconds(at) }));
	record.ended_tasks = [...endedBefore.filter(({ id }) => !running.has(id)), ...newlyEnded].slice(-MAX_ENDED);
}

/** Applies Claude Code's newest list of background tasks, and keeps it as the record's `account`: tasks missing in it have ended. */
export function applyTaskList(record: SessionSnapshot, { at, pos, tasks }: TaskListing): void {
	const before = record.state.backgroundTasks;
	record.account = { at, pos, tasks: tasks.map(({ id, kind, description }) => ({ id, kind, description })) };
	applyTaskListing(record.state, record.account);
	addEndedTasks(record, before, at);
}

/** Marks a session as ended, for Claude Code's reason: its shells and agents are interrupted; schedules stay, as a resume brings them back. */
export function endSession(record: SessionSnapshot, reason: string, at: string): void {
	const { state } = record;
	const before = state.backgroundTasks;
	record.ended = reason;
	state.backgroundTasks = before.filter(({ kind }) => kind === "schedule");
	addEndedTasks(record, before, at, "interrupted");
}
