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

export function applyResult(state: SessionState, event: EventOf<"result">): void {
	const known = Object.hasOwn(state.open, event.id) ? state.open[event.id] : undefined;
	const call = known ?? { ...UNKNOWN_CALL, order: state.order };
	if (call.tool === "" && !isRejection(call, event)) return;
	// what goes on begins where its result stands: an account may lie between call and result
	applyBackgroundTask(state, event, call);
	// it may be written late: what is summarised holds both or none
	if (call.pos !== undefined) state.pos = call.pos;
	delete state.open[event.id];
	// ccg's own stop: nothing ran and nothing failed
	if (event.failed && event.text.slice(0, 300).includes(REFUSAL)) return;
	const told = decisionOf(call, event);
	if (told)
		addDecision(state, { tool: call.tool || "unknown", ...told, at: event.at, order: call.order, ...placeIn(state) });
	// what was allowed goes on as any other
	const decided = told && told.kind !== "allowed" ? told.kind : null;
	if (decided === "plan approved" && state.plan) state.plan.approved = true;
	if (!event.failed) {
		applyTask(state, event, call);
		if (call.path) touchFile(state, call);
	}
	// what the user refused did not run; what is asked, planned or set is told by itself
	if (!decided && !call.input) keepCall(state, call, event);
	if (event.failed && !decided) {
		noteFailure(state, call, event);
		return;
	}
	for (const failure of state.failures) failure.resolved ||= isMendedBy(call, failure);
}

/** The same went well, or the file was edited by another tool. */
const isMendedBy = (call: OpenCall, { kind, subject }: Failure): boolean =>
	subject === failureKey(call) || (call.kind === "edit" && kind === "edit" && subject.endsWith(` ${call.subject}`));

function keepCall(state: SessionState, call: OpenCall, event: EventOf<"result">): void {
	const { tool, subject, kind, order } = call;
	// who only looked left nothing behind
	if (kind === "read" && !event.failed) return;
	const output =
		kind === "edit" && !event.failed
			? ""
			: redactBehind(`$ ${subject}\n`, lastOutput(withoutExitCode(event.text), event.failed));
	const begun = isBackground(event);
	state.calls.push({
		...{ tool, subject, outcome: outcomeOf(event.text, event.failed) },
		...(output && { output }),
		...(begun && { begun }),
		order,
		at: event.at,
		...placeIn(state),
	});
	boundList(state, "calls");
	if (kind === "shell" && !begun && !event.failed) applyCommits(state, call, event);
}

const COMMIT_LINE = /^\[([^\]\n]{1,200}?) (?:\(root-commit\) )?([0-9a-f]{7,40})\] (.+)$/gm;
const COMMIT = /^git (?:-[Cc] \S+ |--[a-z-]+(?:=\S+)? )*commit\b/;
const RESET = /\bgit\s+reset\s+(?:--(?:hard|soft|mixed)\s+)?HEAD(?:~(\d+)|(\^))/;

/** Notes commits made, and takes back those that were undone. */
function applyCommits(state: SessionState, { subject: command, order }: OpenCall, result: EventOf<"result">): void {
	const { text, detail, at } = result;
	const bare = withoutQuotes(command);
	const reset = RESET.exec(bare);
	if (reset) state.commits.splice(-Number(reset[1] ?? 1));
	if (!runsIn(command).some((run) => COMMIT.test(run))) return;
	const made = [...text.slice(0, 8_000).matchAll(COMMIT_LINE)].map(([, , hash, subject]) => ({
		hash: hash!.slice(0, 7),
		subject: subject!,
	}));
	// what a quiet commit does not print, newer versions tell
	const sha = (detail as { gitOperation?: { commit?: { sha?: unknown } } } | null)?.gitOperation?.commit?.sha;
	if (typeof sha === "string" && /^[0-9a-f]{7,40}$/.test(sha) && !made.some(({ hash }) => sha.startsWith(hash)))
		made.push({ hash: sha.slice(0, 7), subject: /-\w*m\s+(["'])(.+?)\1/.exec(command)?.[2] ?? "" });
	if (made.length && /\s--amend\b/.test(bare)) state.commits.pop();
	for (const { hash, subject } of made) {
		if (state.commits.some((one) => one.hash === hash)) continue;
		state.commits.push({ hash, subject: cut(safeText(subject), 160), at, order, ...placeIn(state) });
		boundList(state, "commits");
	}
}

function touchFile(state: SessionState, { kind, path = "", order, at = "" }: OpenCall): void {
	const known = state.files.find((file) => file.path === path);
	const { edits = 0, reads = 0, edited } = known ?? {};
	const file = { path, edits, reads, order, at, ...placeIn(state), ...(edited !== undefined && { edited }) };
	if (kind === "edit") {
		file.edits++;
		file.edited = order;
	} else if (kind === "read") file.reads++;
	state.files = [...state.files.filter((one) => one !== known), file];
	boundList(state, "files");
}

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
