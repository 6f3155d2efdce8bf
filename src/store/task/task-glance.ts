import { readJson } from "../json-file.ts";
import type { Session } from "../session-handle.ts";

/** What a task is for and what comes next, as far as its state says. */
export interface TaskGlance {
	goal: string;
	nextAction: string;
}

/**
 * A look at the session's task state for the recovery block, without the checks that `readTask` makes; `null` when there is
 * no task, it is complete, or the file is of another form.
 */
export function taskGlance(session: Session): TaskGlance | null {
	const state = readJson<Record<string, unknown>>(`${session.paths.folder}/task-state.json`);
	if (state === null || state.status === "complete") return null;
	const { goal, next_action: nextAction } = state;
	if (typeof goal !== "string" || !goal) return null;
	return { goal, nextAction: typeof nextAction === "string" ? nextAction : "" };
}
