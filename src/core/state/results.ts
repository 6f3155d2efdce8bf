import { REFUSAL } from "../pressure/halt-text.ts";
import { redactWithLead } from "../redact/secrets.ts";
import { safeText, truncate } from "../text/text.ts";
import type { EventOf } from "../transcript/event.ts";
import { applyBackgroundTask, runsInBackground } from "./background-tasks.ts";
import { addDecision, isRejection, readDecision } from "./decisions.ts";
import { callOutcome, failureMessage, lastOutput, withLateText, withoutExitCode } from "./outputs.ts";
import { currentPos, type Failure, type OpenCall, type SessionState, trimList } from "./session-state.ts";
import { splitCommands, withoutQuotedText } from "./shell-text.ts";
import { applyTask } from "./tasks.ts";

/** For a rejection whose call was not read. */
const UNKNOWN_CALL: OpenCall = { tool: "", subject: "a tool call", order: 0 };
/** Applies a tool's result to the state: ends its call, notes the user's decision, and the task, file, commit or failure that it tells. */
export function applyResult(state: SessionState, event: EventOf<"result">): void {
	const openCall = Object.hasOwn(state.open, event.id) ? state.open[event.id] : undefined;
	const call = openCall ?? { ...UNKNOWN_CALL, order: state.order };
	if (call.tool === "" && !isRejection(call, event)) return;
	// a background task begins where its result stands: Claude Code's list of tasks may lie between call and result
	applyBackgroundTask(state, event, call);
	// a result may be written late: it gets its call's place, so that a summary's part holds both or none
	if (call.pos !== undefined) state.pos = call.pos;
	delete state.open[event.id];
	// ccg's own stop: nothing ran and nothing failed
	if (event.failed && event.text.slice(0, 300).includes(REFUSAL)) return;
	const decision = readDecision(call, event);
	const place = { at: event.at, order: call.order, ...currentPos(state) };
	if (decision) addDecision(state, { tool: call.tool || "unknown", ...decision, ...place });
	// a call that was merely allowed is treated as any other
	const decisionKind = decision && decision.kind !== "allowed" ? decision.kind : null;
	if (decisionKind === "plan approved" && state.plan) state.plan.approved = true;
	if (!event.failed) {
		applyTask(state, event, call);
		if (call.path) countFileUse(state, call);
	}
	// a refused call did not run; questions, plans and tasks (they keep their input) are told in lists of their own
	if (!decisionKind && !call.input) addEndedCall(state, call, event);
	if (event.failed && !decisionKind) return addFailure(state, call, event);
	for (const failure of state.failures) failure.resolved ||= isResolvedBy(call, failure);
}

/** Whether a call that went well resolves an earlier failure: of the same call, or of an edit of the same file by another tool. */
const isResolvedBy = (call: OpenCall, { kind, subject }: Failure): boolean =>
	subject === failureKey(call) || (call.kind === "edit" && kind === "edit" && subject.endsWith(` ${call.subject}`));

/** Adds a call with its outcome and its last output to the newest calls, and the commits that it made. */
function addEndedCall(state: SessionState, call: OpenCall, event: EventOf<"result">): void {
	const { tool, subject, kind, order } = call;
	// a read that went well is told by its file
	if (kind === "read" && !event.failed) return;
	const isRunning = runsInBackground(event);
	const ended = {
		...{ tool, subject, outcome: callOutcome(event.text, event.failed) },
		...(isRunning && { begun: isRunning }),
		...{ order, at: event.at, ...currentPos(state) },
	};
	const output = () => redactWithLead(`$ ${subject}\n`, lastOutput(withoutExitCode(event.text), event.failed));
	state.calls.push(kind === "edit" && !event.failed ? ended : withLateText(ended, "output", output));
	trimList(state, "calls");
	if (kind === "shell" && !isRunning && !event.failed) applyCommits(state, call, event);
}

const COMMIT_LINE = /^\[([^\]\n]{1,200}?) (?:\(root-commit\) )?([0-9a-f]{7,40})\] (.+)$/gm;
const COMMIT_COMMAND = /^git (?:-[Cc] \S+ |--[a-z-]+(?:=\S+)? )*commit\b/;
const RESET_COMMAND = /\bgit\s+reset\s+(?:--(?:hard|soft|mixed)\s+)?HEAD(?:~(\d+)|(\^))/;

/** Adds the commits that a shell command made, and takes out those that it undid (`reset`, `--amend`). */
function applyCommits(state: SessionState, { subject: command, order }: OpenCall, result: EventOf<"result">): void {
	const { text, detail, at } = result;
	const unquoted = withoutQuotedText(command);
	const reset = RESET_COMMAND.exec(unquoted);
	if (reset) state.commits.splice(-Number(reset[1] ?? 1));
	if (!splitCommands(command).some((part) => COMMIT_COMMAND.test(part))) return;
	const newCommits = [...text.slice(0, 8_000).matchAll(COMMIT_LINE)].map(([, , hash, subject]) => ({
		hash: hash!.slice(0, 7),
		subject: subject!,
	}));
	// a quiet commit prints nothing, but newer versions give its hash in the structured result
	const sha = (detail as { gitOperation?: { commit?: { sha?: unknown } } } | null)?.gitOperation?.commit?.sha;
	if (typeof sha === "string" && /^[0-9a-f]{7,40}$/.test(sha) && !newCommits.some(({ hash }) => sha.startsWith(hash)))
		newCommits.push({ hash: sha.slice(0, 7), subject: /-\w*m\s+(["'])(.+?)\1/.exec(command)?.[2] ?? "" });
	if (newCommits.length && /\s--amend\b/.test(unquoted)) state.commits.pop();
	for (const { hash, subject } of newCommits) {
		if (state.commits.some((known) => known.hash === hash)) continue;
		state.commits.push({ hash, subject: truncate(safeText(subject), 160), at, order, ...currentPos(state) });
		trimList(state, "commits");
	}
}

/** Counts an edit or a read of a call's file, and moves the file to the end of the list. */
function countFileUse(state: SessionState, { kind, path = "", order, at = "" }: OpenCall): void {
	const oldEntry = state.files.find((file) => file.path === path);
	const { edits = 0, reads = 0, edited } = oldEntry ?? {};
	const file = { path, edits, reads, order, at, ...currentPos(state), ...(edited !== undefined && { edited }) };
	if (kind === "edit") {
		file.edits++;
		file.edited = order;
	} else if (kind === "read") file.reads++;
	state.files = [...state.files.filter((other) => other !== oldEntry), file];
	trimList(state, "files");
}
/** Adds a call's failure, in the place of an earlier one of the same call. */
function addFailure(state: SessionState, call: OpenCall, { text, at }: EventOf<"result">): void {
	const subject = failureKey(call);
	state.failures = state.failures.filter((failure) => failure.subject !== subject);
	const place = { at, order: call.order, ...currentPos(state) };
	const failure = { ...(call.kind && { kind: call.kind }), subject, ...place, resolved: false };
	state.failures.push(withLateText(failure, "message", () => truncate(failureMessage(text).trim(), 500)));
	trimList(state, "failures");
}

/** The key of a call's failure: a later success of a call with the same key resolves it. */
const failureKey = ({ tool, subject }: OpenCall): string => `${tool} ${subject}`;
