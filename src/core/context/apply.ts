import { applyToState } from "../state/apply.ts";
import { applyBackgroundAccount, type BackgroundAccount, endUnlisted } from "../state/background-tasks.ts";
import type { BackgroundTask } from "../state/session-state.ts";
import { safeName } from "../text/safe-head.ts";
import type { EventLine, EventOf, TranscriptEvent } from "../transcript/event.ts";
import { type EndedTask, nothingUsed, type SessionSnapshot, seconds } from "./session-context.ts";

/** Applies a line of a transcript to a record, in place: to its state and to what it used. */
export const applyLine = lineBy(applyEvent);

/** The same where what a session did is asked for, and not what it used. */
export const applyLineToState = lineBy(applyToListed);

function lineBy(apply: (record: SessionSnapshot, event: TranscriptEvent) => void) {
	return (record: SessionSnapshot, { pos, events }: EventLine): void => {
		record.state.pos = pos;
		for (const event of events) apply(record, event);
		delete record.state.pos;
	};
}

function applyToListed({ state, account }: SessionSnapshot, event: TranscriptEvent): void {
	applyToState(state, event);
	if (account) endUnlisted(state, account);
}

function applyEvent(record: SessionSnapshot, event: TranscriptEvent): void {
	const { state, tool_stats: stats } = record;
	const running = state.backgroundTasks;
	applyToListed(record, event);
	noteEnded(record, running, "at" in event ? event.at : "");
	if (event.kind === "message") record.ended = "";
	if (event.kind === "call") countCall(record, safeName(event.tool).slice(0, 100));
	if (event.kind === "result" && event.failed) stats.failures++;
	if (event.kind === "usage") countUsage(record, event);
}

const MAX_TOOLS = 300;

function countCall({ tool_stats: stats }: SessionSnapshot, tool: string): void {
	stats.total_calls++;
	if (Object.hasOwn(stats.by_tool, tool)) stats.by_tool[tool]!++;
	else if (Object.keys(stats.by_tool).length < MAX_TOOLS) setOwn(stats.by_tool, tool, 1);
}

/** Also under a name that every object has. */
function setOwn<T>(object: Record<string, T>, name: string, value: T): void {
	Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
}

const MAX_COUNTED = 64;
const MAX_MODELS = 40;

/**
 * Adds an API message's tokens once: its further lines, also with others in between, replace what was counted, because the
 * last one holds the final number of output tokens.
 */
function countUsage({ token_usage: usage, counted_messages: counted }: SessionSnapshot, event: EventOf<"usage">): void {
	const model = safeName(event.model).slice(0, 100);
	const id = event.messageId.slice(0, 100);
	if (!Object.hasOwn(usage, model)) {
		if (Object.keys(usage).length >= MAX_MODELS) return;
		setOwn(usage, model, nothingUsed());
	}
	const sum = usage[model]!;
	let message = counted.find((one) => id !== "" && one.id === id);
	if (message && message.model !== model) return;
	if (!message) {
		const { messages: _, ...none } = nothingUsed();
		message = { id, model, ...none };
		sum.messages++;
		if (id) counted.push(message);
		if (counted.length > MAX_COUNTED) counted.shift();
	}
	const now = {
		input_tokens: event.input ?? event.tokens,
		output_tokens: event.output ?? 0,
		cache_creation_tokens: event.cacheCreation ?? 0,
		cache_read_tokens: event.cacheRead ?? 0,
	};
	for (const name of Object.keys(now) as (keyof typeof now)[]) {
		const more = Math.max(0, now[name] - message[name]);
		message[name] += more;
		sum[name] += more;
	}
}

const MAX_ENDED = 60;

/** Notes what of the work that ran before is over now. */
function noteEnded(
	record: SessionSnapshot,
	before: readonly BackgroundTask[],
	at: string,
	status: EndedTask["status"] = "ended",
): void {
	const { state, ended_tasks: known } = record;
	if (state.backgroundTasks === before) return;
	const running = new Set(state.backgroundTasks.map(({ id }) => id));
	const over = before.filter(({ id }) => !running.has(id)).map((one) => ({ ...one, status, seen: seconds(at) }));
	record.ended_tasks = [...known.filter(({ id }) => !running.has(id)), ...over].slice(-MAX_ENDED);
}

/** What Claude Code lists as running at one moment: what is not listed has ended. */
export function takeAccount(record: SessionSnapshot, { at, pos, tasks }: BackgroundAccount): void {
	const before = record.state.backgroundTasks;
	record.account = { at, pos, tasks: tasks.map(({ id, kind, description }) => ({ id, kind, description })) };
	applyBackgroundAccount(record.state, record.account);
	noteEnded(record, before, at);
}

/** The process has gone, for a reason that Claude Code named: its shells and agents go with it; schedules come back with a resume. */
export function endSession(record: SessionSnapshot, reason: string, at: string): void {
	const { state } = record;
	const before = state.backgroundTasks;
	record.ended = reason;
	state.backgroundTasks = before.filter(({ kind }) => kind === "schedule");
	noteEnded(record, before, at, "interrupted");
}
