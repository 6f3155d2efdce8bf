import { excerpt } from "../text/excerpt.ts";
import { stripInvisible } from "../text/invisible.ts";
import { absolutePath } from "../text/paths.ts";
import { safeHead, safeName } from "../text/safe-head.ts";
import { safeText, truncate } from "../text/text.ts";
import type { EventOf, TranscriptEvent } from "../transcript/event.ts";
import { isOwnCall } from "../transcript/own-calls.ts";
import { endStoppedTask } from "./background-tasks.ts";
import { copyWithinBounds, inputFilePath, readEdits } from "./kept-input.ts";
import { addUnclearMessage, applyMessage, removeQueuedMessage } from "./messages.ts";
import { withLateText } from "./outputs.ts";
import { applyResult } from "./results.ts";
import { countDropped, currentPos, type OpenCall, type SessionState } from "./session-state.ts";

/** Applies one event to the state, in place: a transcript has tens of thousands of them. */
export function applyToState(state: SessionState, event: TranscriptEvent): void {
	switch (event.kind) {
		case "message":
			return applyMessage(state, event);
		case "taken back":
			return removeQueuedMessage(state, event.text);
		case "call":
			return applyCall(state, event);
		case "result":
			return applyResult(state, event);
		case "ended":
			state.backgroundTasks = state.backgroundTasks.filter(({ id }) => id !== event.id);
			return;
		case "said":
			return addAgentText(state, event);
		case "unclear":
			return addUnclearMessage(state, event);
		case "usage":
			state.tokens = event.tokens;
			state.model = safeName(event.model).slice(0, 100);
			return;
		case "boundary":
			state.boundaries++;
			state.tokens = null;
			state.open = {};
			return;
		case "place":
			state.cwd = safeName(event.cwd);
			state.branch = safeName(event.branch);
			state.claudeVersion = safeName(event.version) || state.claudeVersion;
	}
}

const MAX_AGENT_TEXT = 6_000;
const MAX_AGENT_TEXTS = 16_000;

/** Adds a text of the agent to the state and drops the oldest texts beyond the limit; its answer to a question about ccg is not kept. */
function addAgentText(state: SessionState, { text, at }: EventOf<"said">): void {
	if (state.asksCcg || !stripInvisible(text).trim()) return;
	const said = { chars: Math.min(text.length, MAX_AGENT_TEXT), at, order: state.order, ...currentPos(state) };
	state.prose.push(withLateText(said, "text", () => excerpt(safeText(text).trim(), MAX_AGENT_TEXT).text));
	let totalChars = state.prose.reduce((sum, { chars = 0 }) => sum + chars, 0);
	while (totalChars > MAX_AGENT_TEXTS) totalChars -= state.prose.shift()!.chars ?? 0;
}

const KEEPS_INPUT = new Set(
	"TaskCreate TaskUpdate TodoWrite ExitPlanMode AskUserQuestion CronCreate ScheduleWakeup".split(" "),
);
/** Notes a call as open until its result comes, and a plan that it proposes; ccg's own calls are passed over. */
function applyCall(state: SessionState, event: EventOf<"call">): void {
	const { tool, input } = event;
	if (isOwnCall(tool, input)) return;
	delete state.asksCcg;
	state.order++;
	if (event.id === "__proto__") return;
	const path = inputFilePath(input);
	const kind = callKind(input);
	const call: OpenCall = {
		// a server names its tools as it likes
		tool: safeName(tool).slice(0, 200),
		...(kind && { kind }),
		...{ subject: callSubject(input, state.cwd), order: state.order, at: event.at, ...currentPos(state) },
		...(KEEPS_INPUT.has(tool) && { input: copyWithinBounds(input) }),
		...(path && { path: safeName(absolutePath(path, state.cwd)) }),
	};
	state.open[event.id] = call;
	trimOpenCalls(state);
	if (tool === "ExitPlanMode" && typeof input.plan === "string") {
		const path = typeof input.planFilePath === "string" ? safeName(input.planFilePath) : "";
		const text = truncate(safeText(input.plan), 12_000);
		state.plan = { text, path, at: event.at, ...currentPos(state), approved: false };
	}
	endStoppedTask(state, event);
}

/** Whether a call runs a shell command, edits or reads, by the shape of its input; `undefined` for any other call. */
function callKind(input: Record<string, unknown>): OpenCall["kind"] {
	if (typeof input.command === "string" && typeof input.path !== "string") return "shell";
	if (readEdits(input)) return "edit";
	return inputFilePath(input) !== undefined || typeof input.pattern === "string" ? "read" : undefined;
}

/** The command, file, pattern or other thing that a call was made on, as one line. */
function callSubject(input: Record<string, unknown>, cwd: string): string {
	const inFolder = typeof input.path === "string" && input.path ? ` in ${absolutePath(input.path, cwd)}` : "";
	const value =
		typeof input.command === "string"
			? input.command
			: typeof input.pattern === "string"
				? `${input.pattern}${inFolder}`
				: (inputFilePath(input) ?? input.description ?? input.url ?? input.query);
	return truncate(safeHead(typeof value === "string" ? value : "", 2_000).trim(), 400);
}
/** Drops the oldest open calls beyond the limit, and counts them. */
function trimOpenCalls(state: SessionState): void {
	const ids = Object.keys(state.open);
	const surplus = ids.slice(0, Math.max(0, ids.length - MAX_OPEN));
	for (const id of surplus) delete state.open[id];
	if (surplus.length) countDropped(state, "open calls", surplus.length);
}
const MAX_OPEN = 400;
