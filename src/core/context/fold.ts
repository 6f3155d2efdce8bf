import { decisionOf } from "../state/decisions.ts";
import { directivesOf } from "../state/directives.ts";
import { keptInput } from "../state/kept-input.ts";
import type { OpenCall as StateCall } from "../state/session-state.ts";
import { safeHead } from "../text/safe-head.ts";
import { cut, folded, safeText } from "../text/text.ts";
import type { TranscriptEvent } from "../transcript/event.ts";
import { withoutPastes } from "../transcript/spoken.ts";
import { foldBackground, interrupt, takeSnapshot } from "./background.ts";
import { addHistory, isWrittenAgain, LEDGER_TEXT, learn, type Made, takeBack } from "./history.ts";
import { oneLine } from "./one-line.ts";
import type { LateRecord, RecordBody, SessionRecord } from "./record.ts";
import { type SessionContext, seconds } from "./session-context.ts";
import { foldActiveTask, planOf, proposePlan, undoOf } from "./tasks.ts";
import { countUsage } from "./token-count.ts";

const RESULT_TEXT = 400;
const MAX_APPROVALS = 200;
const MAX_OPEN = 200;
const MAX_TOOLS = 300;
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

const eventTime = (event: TranscriptEvent): string => ("at" in event ? event.at : "");
