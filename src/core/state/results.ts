import { REFUSAL } from "../pressure/halt-text.ts";
import { redactBehind } from "../redact/secrets.ts";
import { cut, safeText } from "../text/text.ts";
import type { EventOf } from "../transcript/event.ts";
import { applyBackgroundTask, isBackground } from "./background-tasks.ts";
import { addDecision, decisionOf, isRejection } from "./decisions.ts";
import { lastOutput, outcomeOf, toolFailure, withoutExitCode } from "./outputs.ts";
import { boundList, type Failure, type OpenCall, placeIn, type SessionState } from "./session-state.ts";
import { runsIn, withoutQuotes } from "./shell-text.ts";
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
	const choice = decisionOf(call, event);
	if (choice)
		addDecision(state, { tool: call.tool || "unknown", ...choice, at: event.at, order: call.order, ...placeIn(state) });
	// a call that was merely allowed is treated as any other
	const decided = choice && choice.kind !== "allowed" ? choice.kind : null;
	if (decided === "plan approved" && state.plan) state.plan.approved = true;
	if (!event.failed) {
		applyTask(state, event, call);
		if (call.path) touchFile(state, call);
	}
	// a refused call did not run; questions, plans and tasks (they keep their input) are told in lists of their own
	if (!decided && !call.input) keepCall(state, call, event);
	if (event.failed && !decided) return noteFailure(state, call, event);
	for (const failure of state.failures) failure.resolved ||= isMendedBy(call, failure);
}

/** Whether a call that went well mends an earlier failure: the same call failed, or an edit of the same file by another tool. */
const isMendedBy = (call: OpenCall, { kind, subject }: Failure): boolean =>
	subject === failureKey(call) || (call.kind === "edit" && kind === "edit" && subject.endsWith(` ${call.subject}`));

/** Adds a call with its outcome and its last output to the newest calls, and the commits that it made. */
function keepCall(state: SessionState, call: OpenCall, event: EventOf<"result">): void {
	const { tool, subject, kind, order } = call;
	// a read that went well is told by its file
	if (kind === "read" && !event.failed) return;
	const output =
		kind === "edit" && !event.failed
			? ""
			: redactBehind(`$ ${subject}\n`, lastOutput(withoutExitCode(event.text), event.failed));
	const goesOn = isBackground(event);
	state.calls.push({
		...{ tool, subject, outcome: outcomeOf(event.text, event.failed) },
		...(output && { output }),
		...(goesOn && { begun: goesOn }),
		order,
		at: event.at,
		...placeIn(state),
	});
	boundList(state, "calls");
	if (kind === "shell" && !goesOn && !event.failed) applyCommits(state, call, event);
}

const COMMIT_LINE = /^\[([^\]\n]{1,200}?) (?:\(root-commit\) )?([0-9a-f]{7,40})\] (.+)$/gm;
const COMMIT = /^git (?:-[Cc] \S+ |--[a-z-]+(?:=\S+)? )*commit\b/;
const RESET = /\bgit\s+reset\s+(?:--(?:hard|soft|mixed)\s+)?HEAD(?:~(\d+)|(\^))/;

/** Adds the commits that a shell command made, and takes out those that it undid (`reset`, `--amend`). */
function applyCommits(state: SessionState, { subject: command, order }: OpenCall, result: EventOf<"result">): void {
	const { text, detail, at } = result;
	const bare = withoutQuotes(command);
	const reset = RESET.exec(bare);
	if (reset) state.commits.splice(-Number(reset[1] ?? 1));
	if (!runsIn(command).some((run) => COMMIT.test(run))) return;
	const newCommits = [...text.slice(0, 8_000).matchAll(COMMIT_LINE)].map(([, , hash, subject]) => ({
		hash: hash!.slice(0, 7),
		subject: subject!,
	}));
	// a quiet commit prints nothing, but newer versions give its hash in the structured result
	const sha = (detail as { gitOperation?: { commit?: { sha?: unknown } } } | null)?.gitOperation?.commit?.sha;
	if (typeof sha === "string" && /^[0-9a-f]{7,40}$/.test(sha) && !newCommits.some(({ hash }) => sha.startsWith(hash)))
		newCommits.push({ hash: sha.slice(0, 7), subject: /-\w*m\s+(["'])(.+?)\1/.exec(command)?.[2] ?? "" });
	if (newCommits.length && /\s--amend\b/.test(bare)) state.commits.pop();
	for (const { hash, subject } of newCommits) {
		if (state.commits.some((one) => one.hash === hash)) continue;
		state.commits.push({ hash, subject: cut(safeText(subject), 160), at, order, ...placeIn(state) });
		boundList(state, "commits");
	}
}

/** Counts an edit or a read of a call's file, and moves the file to the end of the list. */
function touchFile(state: SessionState, { kind, path = "", order, at = "" }: OpenCall): void {
	const oldEntry = state.files.find((file) => file.path === path);
	const { edits = 0, reads = 0, edited } = oldEntry ?? {};
	const file = { path, edits, reads, order, at, ...placeIn(state), ...(edited !== undefined && { edited }) };
	if (kind === "edit") {
		file.edits++;
		file.edited = order;
	} else if (kind === "read") file.reads++;
	state.files = [...state.files.filter((one) => one !== oldEntry), file];
	boundList(state, "files");
}
/** Adds a call's failure, in the place of an earlier one of the same call. */
function noteFailure(state: SessionState, call: OpenCall, { text, at }: EventOf<"result">): void {
	const subject = failureKey(call);
	const message = cut(toolFailure(text).trim(), 500);
	state.failures = state.failures.filter((failure) => failure.subject !== subject);
	state.failures.push({
		...(call.kind && { kind: call.kind }),
		subject,
		message,
		at,
		order: call.order,
		...placeIn(state),
		resolved: false,
	});
	boundList(state, "failures");
}

const failureKey = ({ tool, subject }: OpenCall): string => `${tool} ${subject}`;
