import { REFUSAL } from "../pressure/halt-text.ts";
import { safeHead } from "../text/safe-head.ts";
import { cut, oneLine, safeText } from "../text/text.ts";
import type { EventOf } from "../transcript/event.ts";
import { applyBackgroundTask } from "./background-tasks.ts";
import { applyProof, isBackground, lastLines } from "./commands.ts";
import { decide, decisionOf, isDenied, isRejection } from "./decisions.ts";
import { endDeeds } from "./deeds.ts";
import { touch } from "./file-uses.ts";
import { keepLast, type OpenCall, type SessionState } from "./session-state.ts";
import { corrects, isSlip } from "./slips.ts";
import { applyTask } from "./tasks.ts";

/** For a rejection whose call was not read. */
const UNKNOWN_CALL: OpenCall = { tool: "", subject: "a tool call", order: 0 };

export function applyResult(state: SessionState, event: EventOf<"result">): void {
	const known = Object.hasOwn(state.open, event.id) ? state.open[event.id] : undefined;
	const call = known ?? { ...UNKNOWN_CALL, order: state.order };
	if (call.tool === "" && !isRejection(call, event)) return;
	delete state.open[event.id];
	// ccg's own stop: nothing ran and nothing failed
	if (event.failed && event.text.slice(0, 300).includes(REFUSAL)) {
		endDeeds(state, event, { call, isHeld: true });
		return;
	}
	const told = decisionOf(call, event);
	if (told) decide(state, { tool: call.tool || "unknown", ...told, at: event.at, order: call.order });
	// what was allowed goes on as any other
	const decision = told?.kind === "allowed" ? null : told;
	if (decision?.kind === "plan approved" && state.plan) state.plan.approved = true;
	const isHeld = isDenied(call, event);
	endDeeds(state, event, { call, decision, isHeld });
	applyBackgroundTask(state, event, call);
	if (!event.failed) {
		applyTask(state, event, call);
		if (call.path) touch(state, call);
	}
	// no to a question is no failure
	const isSilent = event.failed && isSlip(call, event.text);
	// what was refused did not run
	if (call.tool === "Bash" && !decision && !isHeld) {
		const outcome = tellingLines(event.text);
		state.commands.push({
			command: call.subject,
			failed: event.failed && !isSilent,
			...(outcome && { outcome }),
			...(isBackground(call, event) && { begun: true as const }),
			order: call.order,
			at: event.at,
		});
		keepLast(state, "commands");
		applyProof(state, call, event);
	}
	if (event.failed && !decision) {
		if (!isSilent) fail(state, call, event);
		return;
	}
	for (const failure of state.failures)
		if (failure.subject === failureKey(call) || corrects(call, failure)) failure.resolved = true;
}

function fail(state: SessionState, call: OpenCall, { text, at }: EventOf<"result">): void {
	const subject = failureKey(call);
	const message = cut(safeHead(text.replace(/<\/?tool_use_error>/g, ""), 2_000).trim(), 500);
	state.failures = state.failures.filter((failure) => failure.subject !== subject);
	state.failures.push({ subject, message, at, order: call.order, resolved: false });
	keepLast(state, "failures");
}

const failureKey = ({ tool, subject }: OpenCall): string => `${tool} ${subject}`;

/** A short output is told whole; of a longer one so many lines, each of so many characters. */
const WHOLE = 200;
const LINES = 3;
const LINE = 120;
/** What is looked at of an output: how it went stands at its end. */
const END = 4_000;

const TELLING =
	/\b\d+ (?:passed|passing|failed|failing|tests?|errors?|warnings?|problems?|issues?|files? changed|insertions?|deletions?)\b|\b(?:error|failed|failure|fatal|panic|exception|cannot|not found|denied|undefined|mismatch|expected|created|merged|rejected|up to date|listening|deployed|published)\b|^(?:ok|PASS|FAIL|---)\b|\bhttps?:\/\/|->/i;

/** Of a command's output the lines that tell how it went or what it gave, on one line and made safe; `""` where none does. */
function tellingLines(text: string): string {
	const end = text.slice(-END).trim();
	if (!end) return "";
	if (text.length <= END && end.length <= WHOLE) return oneLine(safeText(end));
	const lines = safeText(lastLines(text, END).join("\n"))
		.split("\n")
		.filter((line) => TELLING.test(line.slice(0, 1_000)));
	return lines
		.slice(-LINES)
		.map((line) => cut(oneLine(line), LINE))
		.join(" | ");
}
