import { readJson } from "../json-file.ts";
import type { Session } from "../session-handle.ts";

/** What a task is for, where it stands and what comes next, as far as its state says. */
export interface TaskGlance {
	goal: string;
	nextAction: string;
	phase?: string;
	blockers?: string[];
	decisions?: { decision: string; reason: string; at: string }[];
}

const MAX_ENTRIES = 20;

/**
 * A look at the session's task state for checkpoints, without the checks that `readTask` makes; `null` when there is
 * no task, it is complete, or the file is of another form.
 */
export function taskGlance(session: Session): TaskGlance | null {
	const state = readJson<Record<string, unknown>>(`${session.paths.folder}/task-state.json`);
	if (state === null || state.status === "complete") return null;
	const { goal, next_action: nextAction, current_phase: phase } = state;
	if (typeof goal !== "string" || !goal) return null;
	return {
		goal,
		nextAction: textOf(nextAction),
		phase: textOf(phase),
		blockers: lastOf(state.blockers).filter((one) => typeof one === "string"),
		decisions: lastOf(state.decisions).flatMap((one) => {
			const { decision, reason, at } = (one ?? {}) as Record<string, unknown>;
			return typeof decision === "string" ? [{ decision, reason: textOf(reason), at: textOf(at) }] : [];
		}),
	};
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

const lastOf = (value: unknown): unknown[] => (Array.isArray(value) ? value.slice(-MAX_ENTRIES) : []);
