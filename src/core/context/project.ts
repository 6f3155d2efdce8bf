import type { BackgroundTask, OpenCall, Task } from "../state/session-state.ts";
import {
	type ActiveTask,
	type EndedTask,
	type SessionContext,
	type SessionSnapshot,
	type ShownCall,
	type SystemState,
	seconds,
} from "./session-context.ts";

/** The session context as people and programs read it: a pure projection of the snapshot. */
export function sessionContext(snapshot: SessionSnapshot): SessionContext {
	const { ended, state, ended_tasks, account: _, ...kept } = snapshot;
	return {
		...kept,
		system_state: systemState(snapshot),
		active_tasks: activeTasks(state.tasks),
		background_tasks: [...ended_tasks, ...state.backgroundTasks.map(listedTask)].sort(
			(a, b) => a.started_at - b.started_at,
		),
		open_calls: Object.fromEntries(Object.entries(state.open).map(([id, call]) => [id, openCall(call)])),
	};
}

function systemState({ state, ended }: SessionSnapshot): SystemState {
	return {
		cwd: state.cwd,
		branch: state.branch,
		claude_version: state.claudeVersion,
		model: state.model,
		compactions: state.boundaries,
		context_tokens: state.tokens,
		ended,
	};
}

const STATUS: Record<string, ActiveTask["status"]> = {
	pending: "Pending",
	in_progress: "Running",
	completed: "Completed",
	done: "Completed",
	failed: "Failed",
};
const PROGRESS = { Pending: 0, Running: 0.5, Completed: 1, Failed: 0 } as const;

/** Tasks that were neither cancelled nor finished long ago. */
export function activeTasks(tasks: readonly Task[]): ActiveTask[] {
	return tasks.filter(({ status, archived }) => status !== "cancelled" && !archived).map(taskState);
}

function taskState({ id, subject, status: told, madeAt = "", changedAt = "" }: Task): ActiveTask {
	const status = (Object.hasOwn(STATUS, told) && STATUS[told]) || "Pending";
	const times = { created_at: seconds(madeAt), updated_at: seconds(changedAt) };
	return { id, description: subject, status, progress: PROGRESS[status], ...times };
}

const KINDS: Record<BackgroundTask["kind"], string> = {
	"background shell": "shell",
	"detached process": "detached",
	agent: "subagent",
	schedule: "schedule",
};

/** Running work, in Claude Code's words where it listed it. */
export function listedTask({ id, kind, what, output, at, listed }: BackgroundTask): EndedTask {
	return {
		id,
		kind: listed?.kind ?? KINDS[kind] ?? kind,
		description: listed?.description || what,
		status: "running",
		output,
		started_at: seconds(at),
		seen_at: seconds(listed?.at ?? at),
	};
}

function openCall({ tool, subject, at = "", input, background }: OpenCall): ShownCall {
	return { tool, subject, timestamp: seconds(at), ...(input && { input }), ...(background && { background }) };
}
