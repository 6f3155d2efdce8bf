import { isDone, type TaskState } from "./task-state.ts";

/** What stands on disk of the task state. */
export type StateFile =
	| { found: "absent" }
	| { found: "invalid"; problem: string }
	| { found: "legacy" }
	| { found: "present"; state: TaskState };

/** What stands on disk of the summary; one that can't be read as a summary conflicts. */
export type SummaryFile = "absent" | "present" | "conflicting";

export type StatusSignal = "STATUS:MISSING_STATE" | "STATUS:HALT_CONTEXT_LIMIT" | "STATUS:COMPLETE";

/** What follows from the two files. `rule` is the rule of the startup branch that decided. */
export type StartupDecision = { rule: number; reason: string } & (
	| { act: "initialise"; signal: null }
	| { act: "stop"; signal: "STATUS:MISSING_STATE" }
	| { act: "finish"; signal: "STATUS:COMPLETE"; state: TaskState }
	| { act: "rewrite summary" | "continue"; signal: null; state: TaskState }
);

/** Seed 2, startup branch, rule by rule. A legacy file counts as a state without its required fields. */
export function startupDecision(file: StateFile, summary: SummaryFile): StartupDecision {
	if (file.found === "absent")
		return summary === "absent"
			? { act: "initialise", rule: 2, signal: null, reason: "neither state nor summary exists" }
			: missing(2, "a summary exists but the task state it was made from does not");
	if (file.found === "legacy") return missing(3, "the task state is of another tool or an older shape");
	if (file.found === "invalid") return missing(3, file.problem);
	const { state } = file;
	const { status, next_action: next } = state;
	// its first summary was never written: nothing can be lost yet
	if (status === "initialising")
		return { act: "initialise", rule: 2, signal: null, reason: "a beginning that was cut short" };
	if (!next.trim()) return missing(4, "next_action is empty");
	if (isDone(state))
		return { act: "finish", rule: 5, signal: "STATUS:COMPLETE", state, reason: `next_action is ${next}` };
	if (summary === "absent") return missing(8, "the summary is missing");
	const goesOn = { signal: null, state };
	if (summary === "present") return { act: "continue", rule: 7, ...goesOn, reason: "state and summary agree" };
	const reason = "the summary did not agree with the task state, which counts";
	return { act: "rewrite summary", rule: 9, ...goesOn, reason };
}

const missing = (rule: number, reason: string): StartupDecision => ({
	act: "stop",
	rule,
	signal: "STATUS:MISSING_STATE",
	reason,
});
