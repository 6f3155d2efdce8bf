import { safeHead } from "../safe-head.ts";
import { decisionOf } from "../state/decisions.ts";
import { directivesOf } from "../state/directives.ts";
import { keptInput } from "../state/kept-input.ts";
import type { OpenCall as StateCall } from "../state/session-state.ts";
import { cut, folded, safeText } from "../text.ts";
import type { TranscriptEvent } from "../transcript/event.ts";
import { withoutPastes } from "../transcript/spoken.ts";
import { foldBackground, interrupt, takeSnapshot } from "./background.ts";
import type { LateRecord, RecordBody, SessionRecord } from "./record.ts";
import {
	type CountedMessage,
	type HistoryEntry,
	type SessionContext,
	seconds,
	type TokenUsage,
} from "./session-context.ts";
import { foldActiveTask, planOf, proposePlan, undoOf } from "./tasks.ts";

/** Of a message in the context; the ledger keeps `LEDGER_TEXT` of it, so what is folded away is held there. */
const HISTORY_TEXT = 2_000;
const LEDGER_TEXT = 8_000;
const RESULT_TEXT = 400;
const MAX_FACT = 500;
/** A queued message comes again within so many entries. */
const WAITS = 200;
const MAX_APPROVALS = 200;
const MAX_OPEN = 200;
const MAX_TOOLS = 300;
const MAX_COUNTED = 64;
const MAX_MODELS = 40;
const CHARS_PER_TOKEN = 4;
/** Inputs that are looked at again when their result comes. */
const KEEPS_INPUT = new Set(["TaskCreate", "ExitPlanMode", "AskUserQuestion", "CronCreate", "ScheduleWakeup"]);

/** One transcript line's events and where it stands. `uuid` is `""` on lines without one. */
export interface EventLine {
	pos: number;
	uuid: string;
	events: readonly TranscriptEvent[];
}

export interface FoldResult {
	context: SessionContext;
	/** What goes into the ledger, in order. */
	records: SessionRecord[];
}

/** A context and one event, and the context after it. The one given is not changed. */
export function foldContext(context: SessionContext, event: TranscriptEvent, id = ""): SessionContext {
	return foldLines(context, [{ pos: 0, uuid: id, events: [event] }]).context;
}

/**
 * Folds lines of a transcript into a context: pure, linear in the events. The ids of records and history entries are
 * made from the line's uuid (its position where it has none) and the record's number in it, so the same line always gives
 * the same ids. Grows the history without bound: the compactor follows.
 */
export function foldLines(context: SessionContext, lines: Iterable<EventLine>): FoldResult {
	const draft = structuredClone(context);
	const known = new Set(draft.facts.map(folded));
	const records: SessionRecord[] = [];
	for (const { pos, uuid, events } of lines) {
		let n = 0;
		for (const event of events) {
			const nextId = (): string => `${uuid || `@${pos}`}.${n++}`;
			for (const { at, id, ...body } of foldEvent(draft, event, known, nextId))
				records.push({ v: 1, at, id, pos, ...body });
		}
	}
	bound(draft.open_calls, MAX_OPEN);
	return { context: draft, records };
}

/** Takes in what was written to the ledger by somebody who could not have the context's lock. */
export function foldLate(context: SessionContext, records: readonly LateRecord[]): SessionContext {
	const draft = structuredClone(context);
	for (const record of records) {
		if (record.kind === "profile") draft.profile = record.profile;
		else if (record.kind === "background") takeSnapshot(draft, record.tasks, seconds(record.at));
		else {
			draft.system_state.ended = record.reason;
			interrupt(draft, seconds(record.at));
		}
	}
	return draft;
}

type Made = RecordBody & { at: string; id: string };

function foldEvent(context: SessionContext, event: TranscriptEvent, known: Set<string>, nextId: () => string): Made[] {
	const made = (bodies: RecordBody[]): Made[] =>
		bodies.map((body) => ({ ...body, at: eventTime(event), id: nextId() }));
	switch (event.kind) {
		case "message": {
			context.system_state.ended = "";
			const text = safeHead(event.text, LEDGER_TEXT);
			const isQueued = event.source === "queued";
			if (isWrittenAgain(context, text, isQueued, event.waits)) return [];
			for (const fact of directivesOf(withoutPastes(text))) learn(context, known, fact);
			const made = addHistory(context, { role: "user", text, length: event.text.length, at: event.at, id: nextId() });
			if (isQueued) Object.assign(context.recent_history.at(-1)!, { queued: true, ...(event.waits && { waits: 1 }) });
			return [made];
		}
		case "taken back":
			return made(takeBack(context, event.text, known));
		case "said": {
			const text = safeHead(event.text, LEDGER_TEXT);
			return [addHistory(context, { role: "assistant", text, length: event.text.length, at: event.at, id: nextId() })];
		}
		case "call":
			foldBackground(context, event);
			return made(foldCall(context, event, known));
		case "result":
			return foldResult(context, event, known, nextId);
		case "ended":
			foldBackground(context, event);
			return [];
		case "interrupted":
			return foldInterruption(context, event, nextId);
		case "usage":
			countUsage(context, event);
			return [];
		case "boundary":
			context.system_state.compactions++;
			context.system_state.context_tokens = null;
			context.open_calls = {};
			return made([{ kind: "compaction", trigger: safeText(event.trigger), tokens: event.preTokens }]);
		case "place":
			context.system_state.cwd = oneLine(event.cwd);
			context.system_state.branch = oneLine(event.branch);
			context.system_state.claude_version = oneLine(event.version) || context.system_state.claude_version;
			return [];
	}
}

function foldCall(
	context: SessionContext,
	event: Extract<TranscriptEvent, { kind: "call" }>,
	known: Set<string>,
): RecordBody[] {
	const tool = oneLine(event.tool).slice(0, 100);
	const { tool_stats: stats } = context;
	stats.total_calls++;
	if (Object.hasOwn(stats.by_tool, tool)) stats.by_tool[tool]!++;
	else if (Object.keys(stats.by_tool).length < MAX_TOOLS)
		Object.defineProperty(stats.by_tool, tool, { value: 1, enumerable: true, configurable: true, writable: true });
	const subject = subjectOf(event);
	const undo = undoOf(context, event);
	context.open_calls[event.id] = {
		tool,
		subject,
		timestamp: seconds(event.at),
		...(KEEPS_INPUT.has(tool) ? { input: keptInput(event.input) } : {}),
		...(event.input.run_in_background === true ? { background: true as const } : {}),
		...(undo && { undo }),
	};
	// now and then: taking out one at a time costs more than all the rest
	if (stats.total_calls % MAX_OPEN === 0) bound(context.open_calls, MAX_OPEN);
	const note =
		tool === "Bash"
			? /\bccg'? memory save ((?:--\S+(?: (?!-)\S+)? )*)(['"])([\s\S]+?)\2/.exec(subject)?.[3]
			: undefined;
	if (note) learn(context, known, note);
	const tasks = foldActiveTask(context, event);
	if (tool !== "ExitPlanMode" || typeof event.input.plan !== "string") return tasks;
	const text = safeHead(event.input.plan, 12_000);
	const path = typeof event.input.planFilePath === "string" ? oneLine(event.input.planFilePath) : "";
	proposePlan(context, text, path, seconds(event.at));
	return [...tasks, { kind: "plan", approved: false, text: text.slice(0, LEDGER_TEXT) }];
}

/** A call that a person allowed when Claude Code asked. */
function grant(call: StateCall, { granted }: Extract<TranscriptEvent, { kind: "result" }>) {
	if (!granted) return null;
	const scope = granted === "once" ? "" : oneLine(granted).slice(0, 100);
	return { kind: "allowed" as const, subject: `${call.tool} ${call.subject}`.trim(), words: scope };
}

function foldResult(
	context: SessionContext,
	event: Extract<TranscriptEvent, { kind: "result" }>,
	known: Set<string>,
	nextId: () => string,
): Made[] {
	const open = Object.hasOwn(context.open_calls, event.id) ? context.open_calls[event.id] : undefined;
	delete context.open_calls[event.id];
	const call: StateCall = {
		tool: open?.tool ?? "",
		subject: open?.subject ?? "",
		order: 0,
		...(open?.input && { input: open.input }),
		...(open?.background && { background: true as const }),
		...(open?.undo && { undo: open.undo.tasks }),
	};
	if (event.failed) context.tool_stats.failures++;
	const made: Made[] = [];
	const told = safeHead(event.text, RESULT_TEXT).trim();
	const text =
		`${call.tool || "a tool"} ${call.subject}`.trim() + (told ? `\n${event.failed ? "failed: " : "-> "}${told}` : "");
	const length = text.length + Math.max(0, event.text.length - RESULT_TEXT);
	made.push(
		addHistory(context, {
			role: "tool",
			text,
			length,
			at: event.at,
			id: nextId(),
			tool: call.tool || "unknown",
			...(event.failed && { failed: true as const }),
		}),
	);
	const decision = decisionOf(call, event) ?? grant(call, event);
	if (decision) {
		const { kind, subject, words } = decision;
		const id = nextId();
		const tool = call.tool || "unknown";
		context.approvals.push({ timestamp: seconds(event.at), kind, tool, subject, words, id });
		if (context.approvals.length > MAX_APPROVALS) context.approvals.shift();
		if (kind === "answer") learn(context, known, `${subject} — ${words}`);
		if (kind === "plan approved" && context.current_plan) {
			const { status } = context.current_plan;
			context.current_plan = planOf({ ...context.current_plan, status: status === "Proposed" ? "Approved" : status });
		}
		made.push({ kind: "decision", decision: kind, tool, subject, words, at: event.at, id });
	}
	for (const body of foldActiveTask(context, event, call, open?.undo?.plan))
		made.push({ ...body, at: event.at, id: nextId() });
	foldBackground(context, event, call);
	return made;
}

/** The user stopped the agent. A rejected call is written as an interruption too: that one is told already. */
function foldInterruption(
	context: SessionContext,
	event: Extract<TranscriptEvent, { kind: "interrupted" }>,
	nextId: () => string,
): Made[] {
	const last = context.approvals.at(-1);
	const now = seconds(event.at);
	if (last && last.kind !== "answer" && now - last.timestamp <= 2) return [];
	const call = Object.values(context.open_calls).at(-1);
	const subject = call ? `${call.tool} ${call.subject}`.trim() : "the agent's answer";
	const tool = call?.tool ?? "";
	const id = nextId();
	context.approvals.push({ timestamp: now, kind: "interrupted", tool, subject, words: "", id });
	if (context.approvals.length > MAX_APPROVALS) context.approvals.shift();
	return [{ kind: "decision", decision: "interrupted", tool, subject, words: "", at: event.at, id }];
}

interface Said {
	role: "user" | "assistant" | "tool";
	/** Safe, cut to what the ledger keeps. */
	text: string;
	/** Of the whole text, in characters. */
	length: number;
	at: string;
	id: string;
	tool?: string;
	failed?: true;
}

function addHistory(context: SessionContext, { role, text, length, at, id, tool, failed }: Said): Made {
	const tokens = Math.ceil(length / CHARS_PER_TOKEN);
	const more = { ...(tool !== undefined && { tool }), ...(failed && { failed }) };
	context.recent_history.push({
		timestamp: seconds(at),
		role,
		content: cut(text, HISTORY_TEXT),
		token_count: tokens,
		id,
		...more,
	});
	return { kind: "message", role, text, tokens, at, id, ...more };
}

/** A message that was queued is written again when its turn comes, and sometimes twice while it waits: it counts once. */
function isWrittenAgain(
	{ recent_history: history }: SessionContext,
	text: string,
	isQueued: boolean,
	waits = false,
): boolean {
	const key = folded(cut(text, HISTORY_TEXT));
	// near the end: the whole history for each message would cost its square
	const said = history.slice(-WAITS).filter(({ role }) => role === "user");
	if (isQueued) return isQueuedAgain(said.slice(-5), key, waits);
	const waiting = said.findLast(({ queued }) => queued);
	if (!waiting || folded(waiting.content) !== key) return false;
	delete waiting.queued;
	delete waiting.waits;
	return true;
}

/** Put into the queue once more, or given from it: of one that is given unseen it is counted how often it went in. */
function isQueuedAgain(said: readonly HistoryEntry[], key: string, waits: boolean): boolean {
	const same = said.findLast(({ content }) => folded(content) === key);
	if (same?.waits && waits) same.waits++;
	else delete same?.waits;
	return same !== undefined;
}

/** A queued message that was never given: out of the history, with the facts that only it told. */
function takeBack(context: SessionContext, said: string, known: Set<string>): RecordBody[] {
	const text = safeHead(said, LEDGER_TEXT);
	const key = folded(cut(text, HISTORY_TEXT));
	const { recent_history: history } = context;
	const at = history.findLastIndex(({ waits, content }) => waits && folded(content) === key);
	const entry = history[at];
	// given before, and queued again
	if (!entry?.waits || --entry.waits > 0) return [];
	history.splice(at, 1);
	for (const fact of directivesOf(withoutPastes(text))) unlearn(context, known, fact);
	return [{ kind: "taken back", message: entry.id }];
}

function unlearn(context: SessionContext, known: Set<string>, text: string): void {
	const key = folded(factOf(text));
	if (context.recent_history.some(({ role, content }) => role === "user" && folded(content).includes(key))) return;
	known.delete(key);
	context.facts = context.facts.filter((fact) => folded(fact) !== key);
}

/** Facts are a set; what differs in case and white space alone is the same. */
function learn(context: SessionContext, known: Set<string>, text: string): void {
	const fact = factOf(text);
	if (!fact || known.has(folded(fact))) return;
	known.add(folded(fact));
	context.facts.push(fact);
}

const factOf = (text: string): string => cut(text.replace(/\s+/g, " ").trim(), MAX_FACT);

/**
 * Adds an API message's tokens once: its further lines, also with others in between, replace what was counted, because the
 * last one holds the final number of output tokens.
 */
function countUsage(context: SessionContext, event: Extract<TranscriptEvent, { kind: "usage" }>): void {
	const { system_state: state, token_usage: usage, counted_messages: counted } = context;
	const model = oneLine(event.model).slice(0, 100);
	state.model = model;
	state.context_tokens = event.tokens;
	const now: CountedMessage = {
		id: event.messageId.slice(0, 100),
		model,
		input_tokens: event.input ?? event.tokens,
		output_tokens: event.output ?? 0,
		cache_creation_tokens: event.cacheCreation ?? 0,
		cache_read_tokens: event.cacheRead ?? 0,
	};
	const at = event.messageId ? counted.findIndex(({ id }) => id === now.id) : -1;
	const before = at < 0 ? null : counted[at]!;
	if (!Object.hasOwn(usage, model)) {
		if (Object.keys(usage).length >= MAX_MODELS) return;
		Object.defineProperty(usage, model, {
			value: { messages: 0, ...NO_TOKENS },
			enumerable: true,
			configurable: true,
			writable: true,
		});
	}
	const sum = usage[model]!;
	if (before && before.model !== model) return;
	if (!before) sum.messages++;
	for (const name of COUNTS) sum[name] += Math.max(now[name], before?.[name] ?? 0) - (before?.[name] ?? 0);
	if (!event.messageId) return;
	if (before) for (const name of COUNTS) before[name] = Math.max(before[name], now[name]);
	else counted.push(now);
	if (counted.length > MAX_COUNTED) counted.shift();
}

const NO_TOKENS: Omit<TokenUsage, "messages"> = {
	input_tokens: 0,
	output_tokens: 0,
	cache_creation_tokens: 0,
	cache_read_tokens: 0,
};
const COUNTS = ["input_tokens", "output_tokens", "cache_creation_tokens", "cache_read_tokens"] as const;

/** What a call was made on, one line: the command, the file, the pattern. */
function subjectOf({ tool, input }: Extract<TranscriptEvent, { kind: "call" }>): string {
	const value =
		tool === "Bash"
			? input.command
			: (input.file_path ??
				input.notebook_path ??
				input.pattern ??
				input.description ??
				input.url ??
				input.query ??
				input.subject);
	return cut(safeHead(typeof value === "string" ? value : "", 2_000).trim(), RESULT_TEXT);
}

/** Of too many keys the oldest go. */
function bound(record: Record<string, unknown>, max: number): void {
	const keys = Object.keys(record);
	for (const key of keys.slice(0, Math.max(0, keys.length - max))) delete record[key];
}

const oneLine = (text: string): string => safeHead(text, 1_000).replace(/\s+/g, " ");
const eventTime = (event: TranscriptEvent): string => ("at" in event ? event.at : "");
