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
export type StartupDecision =
	| { act: "initialise"; rule: 2; signal: null; reason: string }
	| { act: "stop"; rule: 2 | 3 | 4 | 8; signal: "STATUS:MISSING_STATE"; reason: string }
	| { act: "finish"; rule: 5; signal: "STATUS:COMPLETE"; state: TaskState; reason: string }
	| { act: "rewrite summary"; rule: 9; signal: null; state: TaskState; reason: string }
	| { act: "continue"; rule: 7; signal: null; state: TaskState; reason: string };

/** Seed 2, startup branch, rule by rule. A legacy file counts as a state without its required fields. */
export function startupDecision(file: StateFile, summary: SummaryFile): StartupDecision {
	if (file.found === "absent") {
		if (summary === "absent")
			return { act: "initialise", rule: 2, signal: null, reason: "neither state nor summary exists" };
		return missing(2, "a summary exists but the task state it was made from does not");
	}
	if (file.found === "legacy") return missing(3, "the task state is of another tool or an older shape");
	if (file.found === "invalid") return missing(3, file.problem);
	const { state } = file;
	// its first summary was never written: nothing can be lost yet
	if (state.status === "initialising")
		return { act: "initialise", rule: 2, signal: null, reason: "a beginning that was cut short" };
	if (!state.next_action.trim()) return missing(4, "next_action is empty");
	if (isDone(state))
		return { act: "finish", rule: 5, signal: "STATUS:COMPLETE", state, reason: `next_action is ${state.next_action}` };
	if (summary === "absent") return missing(8, "the summary is missing");
	if (summary === "conflicting")
		return {
			act: "rewrite summary",
			rule: 9,
			signal: null,
			state,
			reason: "the summary did not agree with the task state, which counts",
		};
	return { act: "continue", rule: 7, signal: null, state, reason: "state and summary agree" };
}

const missing = (rule: 2 | 3 | 4 | 8, reason: string): StartupDecision => ({
	act: "stop",
	rule,
	signal: "STATUS:MISSING_STATE",
	reason,
});
