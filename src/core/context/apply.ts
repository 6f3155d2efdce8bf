import { applyToState } from "../state/apply.ts";
import { applyBackgroundAccount, type BackgroundAccount, endUnlisted } from "../state/background-tasks.ts";
import type { BackgroundTask, OpenCall } from "../state/session-state.ts";
import { safeHead, safeName } from "../text/safe-head.ts";
import { cut, normalised } from "../text/text.ts";
import type { EventLine, EventOf, TranscriptEvent } from "../transcript/event.ts";
import { type EndedTask, type HistoryEntry, nothingUsed, type SessionSnapshot, seconds } from "./session-context.ts";

/**
 * Applies a line of a transcript to a record, in place: to its state, its history and what it used. The ids of history entries are made
 * from the line's uuid (its position where it has none) and the entry's number in it, so the same line always gives the same
 * ids. The history grows without bound: the compactor follows.
 */
export function applyLine(record: SessionSnapshot, { pos, uuid, events }: EventLine): void {
	let n = 0;
	const add = (entry: Omit<HistoryEntry, "id">): void =>
		void record.recent_history.push({ ...entry, id: `${uuid || `@${pos}`}.${n++}` });
	for (const event of events) applyEvent(record, event, add);
}

/** The same where what a session did is asked for, and neither its history nor what it used. */
export function applyLineToState(record: SessionSnapshot, { events }: EventLine): void {
	for (const event of events) applyToListed(record, event);
}

function applyToListed({ state, account }: SessionSnapshot, event: TranscriptEvent): void {
	applyToState(state, event);
	if (account) endUnlisted(state, account);
}

type Add = (entry: Omit<HistoryEntry, "id">) => void;

function applyEvent(record: SessionSnapshot, event: TranscriptEvent, add: Add): void {
	const { state, tool_stats: stats } = record;
	const running = state.backgroundTasks;
	const said = event.kind === "message" || event.kind === "taken back" ? [...state.messages] : [];
	const call = event.kind === "result" && Object.hasOwn(state.open, event.id) ? state.open[event.id] : undefined;
	applyToListed(record, event);
	noteEnded(record, running, "at" in event ? event.at : "");
	const [last, gone] = [state.messages.at(-1), said.find((one) => !state.messages.includes(one))];
	switch (event.kind) {
		case "message":
			record.ended = "";
			if (last && !said.includes(last)) add(entryOf(event, "user", last.text));
			return;
		case "taken back":
			if (gone) forget(record, gone.text);
			return;
		case "said":
			return add(entryOf(event, "assistant", safeHead(event.text, SAID_TEXT)));
		case "call":
			return countCall(record, safeName(event.tool).slice(0, 100));
		case "result":
			if (event.failed) stats.failures++;
			return add(resultEntry(event, call));
		case "usage":
			countUsage(record, event);
	}
}

/** Kept in the history of a text; made safe of a text of the agent; kept of a result. */
const HISTORY_TEXT = 2_000;
const SAID_TEXT = 8_000;
const RESULT_TEXT = 400;
const CHARS_PER_TOKEN = 4;

/** `text` is safe. `length`: of the whole text, in characters. */
const entryOf = (
	event: { at: string; text: string },
	role: HistoryEntry["role"],
	text: string,
	length = event.text.length,
): Omit<HistoryEntry, "id"> => ({
	timestamp: seconds(event.at),
	role,
	content: cut(text, HISTORY_TEXT),
	token_count: Math.ceil(length / CHARS_PER_TOKEN),
});

function resultEntry(event: EventOf<"result">, call?: OpenCall): Omit<HistoryEntry, "id"> {
	const told = safeHead(event.text, RESULT_TEXT).trim();
	const what = call?.tool ? `${call.tool} ${call.subject}`.trim() : "a tool";
	const text = told ? `${what}\n${event.failed ? "failed: " : "-> "}${told}` : what;
	return {
		...entryOf(event, "tool", text, text.length + Math.max(0, event.text.length - RESULT_TEXT)),
		tool: safeName(call?.tool || "unknown").slice(0, 100),
		...(event.failed && { failed: true }),
	};
}

/** A queued message that was never given leaves the history too. */
function forget({ recent_history: history }: SessionSnapshot, text: string): void {
	const said = normalised(cut(text, HISTORY_TEXT));
	const at = history.findLastIndex(({ role, content }) => role === "user" && normalised(content) === said);
	if (at >= 0) history.splice(at, 1);
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
export function takeAccount(record: SessionSnapshot, { at, tasks }: BackgroundAccount): void {
	const before = record.state.backgroundTasks;
	record.account = { at, tasks: tasks.map(({ id, kind, description }) => ({ id, kind, description })) };
	applyBackgroundAccount(record.state, record.account);
	noteEnded(record, before, at);
}

/** The process has gone, for a reason that Claude Code named: its shells and agents go with it; schedules come back with a resume, detached processes stay. */
export function endSession(record: SessionSnapshot, reason: string, at: string): void {
	const { state } = record;
	const before = state.backgroundTasks;
	record.ended = reason;
	state.backgroundTasks = before.filter(({ kind }) => kind === "schedule" || kind === "detached process");
	noteEnded(record, before, at, "interrupted");
}
