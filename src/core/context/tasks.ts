import type { OpenCall as StateCall, Task } from "../state/session-state.ts";
import { emptyState } from "../state/session-state.ts";
import { foldTask, tasksBefore } from "../state/tasks.ts";
import { cut, folded } from "../text/text.ts";
import type { TranscriptEvent } from "../transcript/event.ts";
import type { RecordBody } from "./record.ts";
import {
	type OpenCall,
	type Plan,
	type PlanStep,
	type SessionContext,
	seconds,
	type TaskState,
} from "./session-context.ts";

const MAX_STEPS = 60;
const FROM_CLAUDE: Record<string, TaskState["status"]> = {
	pending: "Pending",
	in_progress: "Running",
	completed: "Completed",
	done: "Completed",
	failed: "Failed",
};
const TO_CLAUDE = { Pending: "pending", Running: "in_progress", Completed: "completed", Failed: "failed" } as const;
const PROGRESS = { Pending: 0, Running: 0.5, Completed: 1, Failed: 0 } as const;
const AS_STEP = { Pending: "Pending", Running: "InProgress", Completed: "Completed", Failed: "Failed" } as const;

/** What a call that changes tasks may have to put back. */
export function undoOf(
	{ active_tasks, current_plan }: SessionContext,
	call: { tool: string; input: Record<string, unknown> },
): OpenCall["undo"] {
	const tasks = tasksBefore({ tasks: active_tasks.map(asStateTask) }, call);
	return tasks && { tasks, plan: current_plan };
}

/** Follows the task tools by the state's own reading of them; gives what changed, and brings the plan's steps along. */
export function foldActiveTask(
	context: SessionContext,
	event: Extract<TranscriptEvent, { kind: "call" | "result" }>,
	call?: StateCall,
	planBefore?: Plan | null,
): RecordBody[] {
	if (!/^(?:TodoWrite|TaskCreate|TaskUpdate)$/.test(call?.tool ?? (event.kind === "call" ? event.tool : ""))) return [];
	// it is made by its result
	if (event.kind === "call" && event.tool === "TaskCreate") return [];
	const before = context.active_tasks;
	const known = {
		byId: firstBy(before, ({ id }) => id),
		byWords: firstBy(before, ({ description }) => description),
	};
	const draft = { ...emptyState(), tasks: before.map(asStateTask) };
	foldTask(draft, event, call);
	const now = seconds(event.at);
	// what was cancelled is no active task; the ledger says that it was removed
	context.active_tasks = draft.tasks
		.filter(({ status }) => status !== "cancelled")
		.map((task) => taskState(task, known, now));
	const changed = context.active_tasks.filter((task) => {
		const old = known.byId.get(task.id);
		return old?.status !== task.status || old.description !== task.description;
	});
	const left = new Set(context.active_tasks.map(({ id }) => id));
	const gone = before.filter(({ id }) => !left.has(id));
	if (changed.length === 0 && gone.length === 0) return [];
	if (event.kind === "result" && event.failed && planBefore !== undefined) context.current_plan = planBefore;
	else takeSteps(context, now);
	return [
		...changed.map((task) => ({
			kind: "task" as const,
			task: task.id,
			description: task.description,
			status: task.status,
		})),
		...gone.map((task) => ({ kind: "task" as const, task: task.id, description: task.description, status: "removed" })),
	];
}

/** A plan of plan mode: its steps are the items of its first list, until tasks take their place. */
export function proposePlan(context: SessionContext, text: string, path: string, now: number): void {
	const lines = text
		.slice(0, 12_000)
		.split("\n")
		.map((line) => line.trim());
	const title = lines.find(Boolean)?.replace(/^#+\s*/, "") ?? "plan";
	const steps = lines
		.flatMap((line) => /^(?:\d+[.)]|[-*] \[[ xX]\])\s+(\S.*)$/.exec(line)?.[1] ?? [])
		.slice(0, MAX_STEPS)
		.map((description, id): PlanStep => ({ id, description: cut(description, 300), status: "Pending", result: null }));
	context.current_plan = planOf({
		goal: cut(title, 300),
		steps,
		status: "Proposed",
		path,
		current_step: 0,
		updated_at: now,
	});
}

/**
 * The tasks are the plan's steps as soon as there are any: a step that says the same keeps its place, others follow. A
 * finished step stays after its task was dropped.
 */
function takeSteps(context: SessionContext, now: number): void {
	const plan = context.current_plan ?? {
		goal: lastRequest(context),
		steps: [],
		current_step: 0,
		status: "InProgress" as const,
		path: "",
		updated_at: now,
	};
	const tasks = context.active_tasks;
	// folded once: a hundred tasks against sixty steps is done at each change
	const byWords = firstBy(tasks, ({ description }) => wordsOf(description));
	const isTask = (step: PlanStep): boolean => byWords.has(wordsOf(step.description));
	// steps read from the plan's text give way to the tasks made of it; finished ones stay
	const kept = plan.steps.filter((step) => isTask(step) || step.status === "Completed" || step.status === "Failed");
	const steps = kept.map((step) => {
		const task = byWords.get(wordsOf(step.description));
		return task ? { ...step, status: AS_STEP[task.status] } : step;
	});
	const told = new Set(steps.map(({ description }) => wordsOf(description)));
	for (const [words, task] of byWords) {
		if (told.has(words)) continue;
		told.add(words);
		steps.push({ id: 0, description: task.description, status: AS_STEP[task.status], result: null });
	}
	const bounded = steps.slice(-MAX_STEPS).map((step, id) => ({ ...step, id }));
	context.current_plan = planOf({ ...plan, steps: bounded, updated_at: now });
}

/** Where the plan stands follows from its steps. */
export function planOf(plan: Plan): Plan {
	const open = plan.steps.findIndex(({ status }) => status === "Pending" || status === "InProgress");
	const current = open < 0 ? plan.steps.length : open;
	const begun = plan.steps.some(({ status }) => status !== "Pending");
	const isOver = begun && current === plan.steps.length;
	return { ...plan, current_step: current, status: isOver ? "Completed" : begun ? "InProgress" : plan.status };
}

function lastRequest({ recent_history: history }: SessionContext): string {
	return cut(history.findLast(({ role }) => role === "user")?.content.replace(/\s+/g, " ") ?? "", 300);
}

const asStateTask = (task: TaskState): Task => ({
	id: task.id,
	subject: task.description,
	status: TO_CLAUDE[task.status],
	order: 0,
});

interface Known {
	byId: Map<string, TaskState>;
	byWords: Map<string, TaskState>;
}

function firstBy(tasks: readonly TaskState[], key: (task: TaskState) => string): Map<string, TaskState> {
	const by = new Map<string, TaskState>();
	for (const task of tasks) if (!by.has(key(task))) by.set(key(task), task);
	return by;
}

function taskState({ id, subject, status: raw }: Task, { byId, byWords }: Known, now: number): TaskState {
	const status = (Object.hasOwn(FROM_CLAUDE, raw) && FROM_CLAUDE[raw]) || "Pending";
	// TodoWrite gives its list anew each time: what it says tells an item, not its place
	const old = byWords.get(subject) ?? (id.startsWith("todo-") ? undefined : byId.get(id));
	const same = old?.status === status && old.description === subject;
	return {
		id,
		description: subject,
		status,
		progress: PROGRESS[status],
		created_at: old?.created_at ?? now,
		updated_at: same ? old.updated_at : now,
	};
}

/** Folded once: the same hundred tasks and sixty steps are compared at every change. */
function wordsOf(text: string): string {
	const known = FOLDED.get(text);
	if (known !== undefined) return known;
	if (FOLDED.size >= 1_000) FOLDED.clear();
	const words = folded(text);
	FOLDED.set(text, words);
	return words;
}
const FOLDED = new Map<string, string>();
