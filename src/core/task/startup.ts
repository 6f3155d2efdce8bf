import { isDone, type StateFile, type TaskState } from "./task-state.ts";

/** The two files of a task, as found on disk; a summary that can't be read as one counts as `conflicting`. */
export interface TaskOnDisk {
	file: StateFile;
	summary: "absent" | "present" | "conflicting";
}

/** What to do at a start, and why. `state` of `initialise`: the state that an interrupted beginning left, or `null`. */
type Startup = { reason: string } & (
	| { act: "initialise"; state: TaskState | null }
	| { act: "stop"; state: null }
	| { act: "finish" | "rewrite summary" | "continue"; state: TaskState }
);

/** Decides from a task's two files how `ccg task ensure` goes on, and why. Where they can't both be true, or are another tool's: `stop`. */
export function decideStartup({ file, summary }: TaskOnDisk): Startup {
	const stop = (reason: string): Startup => ({ act: "stop", state: null, reason });
	if (file.found === "absent")
		return summary === "absent"
			? { act: "initialise", state: null, reason: "neither state nor summary exists" }
			: stop("a summary exists but the task state it was made from does not");
	if (file.found === "legacy") return stop("the task state is of another tool or an older shape");
	if (file.found === "invalid") return stop(file.problem);
	const { state } = file;
	// its first summary was not written yet: nothing can be lost
	if (state.status === "initialising") return { act: "initialise", state, reason: "a beginning that was cut short" };
	if (!state.next_action.trim()) return stop("next_action is empty");
	if (isDone(state)) return { act: "finish", state, reason: `next_action is ${state.next_action}` };
	if (summary === "absent") return stop("the summary is missing");
	if (summary === "present") return { act: "continue", state, reason: "state and summary agree" };
	return { act: "rewrite summary", state, reason: "the summary did not agree with the task state, which counts" };
}
