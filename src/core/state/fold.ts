import { REFUSAL } from "../halt/halt-text.ts";
import { placed } from "../text/paths.ts";
import { safeHead } from "../text/safe-head.ts";
import { cut, folded, safeText } from "../text/text.ts";
import type { TranscriptEvent } from "../transcript/event.ts";
import { withoutPastes } from "../transcript/spoken.ts";
import { foldSaid } from "./agent-words.ts";
import { endsFlight, foldFlight } from "./background-tasks.ts";
import { foldProof } from "./commands.ts";
import { decisionOf, isRejection } from "./decisions.ts";
import { directivesOf } from "./directives.ts";
import { filePath, isEdit, safeName, touch, unEdit } from "./file-uses.ts";
import { identifiersOf, scoreIdentifiers } from "./identifiers.ts";
import { keptInput } from "./kept-input.ts";
import { scoreInput } from "./name-counts.ts";
import { foldSearch } from "./searches.ts";
import { countDropped, type OpenCall, type SessionState } from "./session-state.ts";
import { corrects, isSlip } from "./slips.ts";
import { isQueuedAgain, keptMessage, takeBack } from "./taken-back.ts";
import { foldTask, tasksBefore } from "./tasks.ts";
import { markWithdrawn } from "./withdrawals.ts";

const MAX_MESSAGES = 400;
const MAX_COMMANDS = 60;
const MAX_FAILURES = 40;
const MAX_DECISIONS = 80;

/** Adds one event to the state, in place: a ledger is folded over tens of thousands of events. */
export function fold(state: SessionState, event: TranscriptEvent): void {
	switch (event.kind) {
		case "message":
			return foldMessage(state, event);
		case "taken back":
			return takeBack(state, event.text);
		case "call":
			return foldCall(state, event);
		case "result":
			return foldResult(state, event);
		case "ended":
			state.inFlight = state.inFlight.filter(({ id }) => id !== event.id);
			return;
		case "said":
			return foldAgentWords(state, event);
		case "interrupted":
			return foldInterruption(state, event);
		case "usage":
			state.tokens = event.tokens;
			state.model = event.model;
			return;
		case "boundary":
			state.boundaries++;
			state.tokens = null;
			state.open = {};
			return;
		case "place":
			state.cwd = safeName(event.cwd);
			state.branch = safeName(event.branch);
			state.claudeVersion = event.version || state.claudeVersion;
	}
}

/** Only what is safe is looked into: a name the agent used may be a secret. */
function foldAgentWords(state: SessionState, event: Extract<TranscriptEvent, { kind: "said" }>): void {
	const text = safeText(event.text);
	state.lastSaid = lastPart(text, 1_500);
	foldSaid(state, text, event.at);
	scoreIdentifiers(state.identifiers, identifiersOf(text.slice(0, 4_000)), state.order, "said");
}

function foldMessage(state: SessionState, event: Extract<TranscriptEvent, { kind: "message" }>): void {
	const { text, cut: cutOff } = keptMessage(event.text);
	// nothing but invisible characters
	if (!text.trim()) return;
	const queued = state.messages.findLast((message) => message.source === "queued");
	// a queued message is written again as a typed one when its turn comes
	if (queued && event.source !== "queued" && folded(queued.text) === folded(text)) {
		queued.source = event.source;
		delete queued.waits;
		return;
	}
	if (event.source === "queued" && isQueuedAgain(state, text, event.waits)) return;
	state.order++;
	state.messages.push({
		at: event.at,
		order: state.order,
		source: event.source,
		...(event.waits && { waits: 1 }),
		text,
		...(cutOff > 0 ? { cut: cutOff } : {}),
		directives: directivesWithin(state, withoutPastes(text)),
	});
	state.startedAt ||= event.at;
	markWithdrawn(state, state.messages.at(-1)!);
	// whatever was asked, the user has spoken since; a shell line says nothing
	if (event.source !== "command") state.questions = [];
	scoreIdentifiers(state.identifiers, identifiersOf(text), state.order, "user");
	while (state.messages.length > MAX_MESSAGES) {
		// the oldest that directs nothing goes first
		const at = state.messages.findIndex((one) => one.directives.length === 0);
		state.messages.splice(Math.max(0, at), 1);
		countDropped(state, "messages");
	}
}

/** A message of a thousand commanding lines is a paste: those at its end are nearest to what is asked. */
function directivesWithin(state: SessionState, text: string): string[] {
	const all = directivesOf(text);
	if (all.length > MAX_DIRECTIVES) countDropped(state, "directives of one message", all.length - MAX_DIRECTIVES);
	return all.slice(-MAX_DIRECTIVES);
}
const MAX_DIRECTIVES = 60;

/** The user stopped the agent: with what it was about to do, where that is known. */
function foldInterruption(state: SessionState, event: Extract<TranscriptEvent, { kind: "interrupted" }>): void {
	const call = Object.values(state.open).findLast(({ order }) => order >= state.order - 20);
	const last = state.decisions.at(-1);
	// a rejected call is written as an interruption too
	if (last && last.kind !== "answer" && state.order - last.order <= 1) return;
	const subject = call ? `${call.tool} ${call.subject}`.trim() : "the agent's answer";
	state.decisions = state.decisions.filter((one) => one.kind !== "interrupted" || one.subject !== subject);
	state.decisions.push({
		kind: "interrupted",
		subject,
		words: "",
		at: event.at,
		order: state.order,
	});
	bound(state, "decisions", MAX_DECISIONS);
}

const KEEPS_INPUT = new Set(["TaskCreate", "ExitPlanMode", "AskUserQuestion", "CronCreate", "ScheduleWakeup"]);

function foldCall(state: SessionState, event: Extract<TranscriptEvent, { kind: "call" }>): void {
	const { tool, input } = event;
	state.order++;
	const named = filePath(input);
	const path = named && placed(named, state.cwd);
	if (path) touch(state, safeName(path), event);
	const subject = callSubject(tool, input, state.cwd);
	const keepsInput = KEEPS_INPUT.has(tool);
	if (event.id === "__proto__") return;
	const undo = tasksBefore(state, event);
	state.open[event.id] = {
		tool,
		subject,
		order: state.order,
		...(keepsInput ? { input: keptInput(input) } : {}),
		...(path && isEdit(tool) ? { path: safeName(path) } : {}),
		...(tool === "Bash" && input.run_in_background === true ? { background: true } : {}),
		...(undo && { undo }),
	};
	boundOpen(state);
	if (tool === "ExitPlanMode" && typeof input.plan === "string") {
		const path = typeof input.planFilePath === "string" ? safeName(input.planFilePath) : "";
		state.plan = { text: cut(safeText(input.plan), 12_000), path, at: event.at, approved: false };
	}
	foldTask(state, event);
	endsFlight(state, event);
	scoreInput(state, input);
}

/** Tools of whose successful results the state keeps something; other results only close their call. */
export const readsResultOf = (tool: string): boolean => RESULTS_READ.has(tool);

const RESULTS_READ = new Set([
	"Bash",
	"Grep",
	"Glob",
	"AskUserQuestion",
	"ExitPlanMode",
	"TaskCreate",
	"Agent",
	"Task",
	"CronCreate",
	"ScheduleWakeup",
	"WebSearch",
	"TaskOutput",
	"BashOutput",
	"AgentOutputTool",
]);
/** For a rejection whose call was not read. */
const UNKNOWN_CALL: OpenCall = { tool: "", subject: "a tool call", order: 0 };

function foldResult(state: SessionState, event: Extract<TranscriptEvent, { kind: "result" }>): void {
	const known = Object.hasOwn(state.open, event.id) ? state.open[event.id] : undefined;
	const call = known ?? { ...UNKNOWN_CALL, order: state.order };
	if (call.tool === "" && !isRejection(call, event)) return;
	delete state.open[event.id];
	// ccg's own stop: nothing ran and nothing failed
	if (event.failed && event.text.slice(0, 300).includes(REFUSAL)) {
		if (call.path) unEdit(state, call.path);
		return;
	}
	const decision = decisionOf(call, event);
	if (decision) {
		if (decision.kind === "plan approved" && state.plan) state.plan.approved = true;
		state.decisions.push({ ...decision, at: event.at, order: call.order });
		bound(state, "decisions", MAX_DECISIONS);
	}
	foldTask(state, event, call);
	foldFlight(state, event, call);
	if (event.failed && call.path) unEdit(state, call.path);
	// what the user rejected did not run
	if (call.tool === "Bash" && !decision) {
		state.commands.push({ command: call.subject, failed: event.failed, order: call.order, at: event.at });
		bound(state, "commands", MAX_COMMANDS);
		foldProof(state, call, event);
	}
	if (!event.failed) foldSearch(state, call, event);
	if (event.failed && !decision) return fail(state, call, event);
	for (const failure of state.failures)
		if (failure.subject === failureKey(call) || (call.tool === "Bash" && corrects(call, failure)))
			failure.resolved = true;
	if (call.tool === "Bash" || call.tool === "Grep" || call.tool === "Glob")
		scoreIdentifiers(state.identifiers, identifiersOf(safeHead(event.text, 2_000)), call.order, "result");
}

function fail(
	state: SessionState,
	call: { tool: string; subject: string; order: number },
	event: { text: string; at: string },
): void {
	const subject = failureKey(call);
	const message = cut(safeHead(event.text.replace(/<\/?tool_use_error>/g, ""), 2_000).trim(), 500);
	state.failures = state.failures.filter((failure) => failure.subject !== subject);
	state.failures.push({ subject, message, at: event.at, order: call.order, resolved: isSlip(call, event.text) });
	bound(state, "failures", MAX_FAILURES);
}

const failureKey = (call: { tool: string; subject: string }): string => `${call.tool} ${call.subject}`;

/** What a call was made on, one line: the command, the file, the pattern. */
function callSubject(tool: string, input: Record<string, unknown>, cwd: string): string {
	const where = typeof input.path === "string" && input.path ? ` in ${placed(input.path, cwd)}` : "";
	const value =
		tool === "Bash"
			? input.command
			: typeof input.pattern === "string"
				? `${input.pattern}${where}`
				: (filePath(input) ?? input.description ?? input.url ?? input.query);
	return cut(safeHead(typeof value === "string" ? value : "", 2_000).trim(), 400);
}

/** Calls that never end: as many as a session never has at once. The oldest goes. */
function boundOpen(state: SessionState): void {
	const many = openCalls.get(state) ?? Object.keys(state.open).length;
	openCalls.set(state, many + 1);
	if (many < 2 * MAX_OPEN) return;
	// counted now and then: results have closed most of them
	const ids = Object.keys(state.open);
	const over = ids.slice(0, Math.max(0, ids.length - MAX_OPEN));
	for (const id of over) delete state.open[id];
	if (over.length) countDropped(state, "open calls", over.length);
	openCalls.set(state, ids.length - over.length);
}
const openCalls = new WeakMap<SessionState, number>();
const MAX_OPEN = 400;

function bound(state: SessionState, name: "commands" | "failures" | "decisions", max: number): void {
	const list = state[name];
	while (list.length > max) {
		list.shift();
		countDropped(state, name);
	}
}

/** The end of a text, saying how much stood before it. */
const lastPart = (text: string, max: number): string =>
	text.length <= max ? text : `[${text.length - max} characters before…] ${text.slice(-max)}`;
