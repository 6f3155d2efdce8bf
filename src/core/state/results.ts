import { REFUSAL } from "../halt/halt-text.ts";
import { safeHead } from "../text/safe-head.ts";
import { cut } from "../text/text.ts";
import type { TranscriptEvent } from "../transcript/event.ts";
import { applyBackgroundTask } from "./background-tasks.ts";
import { applyProof, isBackground } from "./commands.ts";
import { decide, decisionOf, isRejection } from "./decisions.ts";
import { endDeeds } from "./deeds.ts";
import { noteEdited, unEdit } from "./file-uses.ts";
import { applySearch } from "./searches.ts";
import { type Applied, keepLast, type OpenCall, type SessionState } from "./session-state.ts";
import { corrects, isSlip } from "./slips.ts";
import { applyTask } from "./tasks.ts";
import { tellingLines } from "./telling-lines.ts";

const MAX_COMMANDS = 60;
const MAX_FAILURES = 40;

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

export function applyResult(state: SessionState, event: Extract<TranscriptEvent, { kind: "result" }>): Applied {
	if (event.beside) state.unheard = true;
	const known = Object.hasOwn(state.open, event.id) ? state.open[event.id] : undefined;
	const call = known ?? { ...UNKNOWN_CALL, order: state.order };
	if (call.tool === "" && !isRejection(call, event)) return {};
	delete state.open[event.id];
	// ccg's own stop: nothing ran and nothing failed
	if (event.failed && event.text.slice(0, 300).includes(REFUSAL)) {
		if (call.path) unEdit(state, call.path);
		endDeeds(state, event, { call, isHeld: true });
		return { call };
	}
	const decided = decisionOf(call, event);
	endDeeds(state, event, { call, decision: decided });
	const decision = decided && { ...decided, at: event.at, order: call.order };
	if (decision) {
		if (decision.kind === "plan approved" && state.plan) state.plan.approved = true;
		decide(state, decision);
	}
	const applied = { call, ...(decision && { decision }) };
	applyTask(state, event, call);
	applyBackgroundTask(state, event, call);
	if (call.path) event.failed ? unEdit(state, call.path) : noteEdited(state, call.path, call.order);
	// what the user rejected did not run
	if (call.tool === "Bash" && !decision) {
		const outcome = tellingLines(event.text);
		state.commands.push({
			command: call.subject,
			failed: event.failed,
			...(outcome && { outcome }),
			...(isBackground(call, event) && { begun: true as const }),
			order: call.order,
			at: event.at,
		});
		keepLast(state, "commands", MAX_COMMANDS);
		applyProof(state, call, event);
	}
	if (!event.failed) applySearch(state, call, event);
	if (event.failed && !decision) {
		fail(state, call, event);
		return applied;
	}
	for (const failure of state.failures)
		if (failure.subject === failureKey(call) || (call.tool === "Bash" && corrects(call, failure)))
			failure.resolved = true;
	return applied;
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
	keepLast(state, "failures", MAX_FAILURES);
}

const failureKey = (call: { tool: string; subject: string }): string => `${call.tool} ${call.subject}`;
