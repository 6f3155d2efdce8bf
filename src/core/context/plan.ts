import type { OpenCall, Task } from "../state/session-state.ts";
import { isTodo } from "../state/tasks.ts";
import { cut, normalised } from "../text/text.ts";
import { activeTasks } from "./project.ts";
import type { RecordBody } from "./record.ts";
import type { ActiveTask, Plan, PlanStep, SessionSnapshot } from "./session-context.ts";

const MAX_STEPS = 60;
const AS_STEP = { Pending: "Pending", Running: "InProgress", Completed: "Completed", Failed: "Failed" } as const;

/** A plan of plan mode: its steps are the items of its first list, until tasks take their place. */
export function proposePlan(snapshot: SessionSnapshot, text: string, path: string, now: number): void {
	const lines = text
		.slice(0, 12_000)
		.split("\n")
		.map((line) => line.trim());
	const title = lines.find(Boolean)?.replace(/^#+\s*/, "") ?? "plan";
	const steps = lines
		.flatMap((line) => /^(?:\d+[.)]|[-*] \[[ xX]\])\s+(\S.*)$/.exec(line)?.[1] ?? [])
		.slice(0, MAX_STEPS)
		.map((description, id): PlanStep => ({ id, description: cut(description, 300), status: "Pending", result: null }));
	snapshot.current_plan = planOf({
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
function takeSteps(snapshot: SessionSnapshot, now: number): void {
	const plan = snapshot.current_plan ?? {
		goal: lastRequest(snapshot),
		steps: [],
		current_step: 0,
		status: "InProgress" as const,
		path: "",
		updated_at: now,
	};
	const tasks = activeTasks(snapshot.state.tasks);
	// normalised once: a hundred tasks against sixty steps is done at each change
	const byWords = byDescription(tasks);
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
	snapshot.current_plan = planOf({ ...plan, steps: bounded, updated_at: now });
}

const TASK_TOOLS = /^(?:TodoWrite|TaskCreate|TaskUpdate)$/;

/** Brings the plan's steps along when a call changed tasks; gives what changed. A call that failed changed nothing. */
export function followTasks(snapshot: SessionSnapshot, call: OpenCall, now: number): RecordBody[] {
	if (!TASK_TOOLS.test(call.tool)) return [];
	const tasks = snapshot.state.tasks;
	const ids = new Set(call.undo?.map(({ id }) => id));
	const isMeant = ({ id }: Task): boolean =>
		call.tool === "TodoWrite" ? isTodo({ id }) : call.undo ? ids.has(id) : id === tasks.at(-1)?.id;
	const before = new Map(activeTasks(call.undo ?? []).map((task) => [task.id, task]));
	const after = activeTasks(tasks.filter(isMeant));
	const changed = after.filter(({ id, status, description }) => {
		const old = before.get(id);
		return old?.status !== status || old.description !== description;
	});
	const left = new Set(after.map(({ id }) => id));
	const gone = [...before.values()].filter(({ id }) => !left.has(id));
	if (changed.length + gone.length === 0) return [];
	takeSteps(snapshot, now);
	return [...changed.map((task) => record(task)), ...gone.map((task) => record(task, "removed"))];
}

const record = ({ id, description, status }: ActiveTask, now: string = status): RecordBody => ({
	kind: "task",
	task: id,
	description,
	status: now,
});

/** Where the plan stands follows from its steps. */
export function planOf(plan: Plan): Plan {
	const open = plan.steps.findIndex(({ status }) => status === "Pending" || status === "InProgress");
	const current = open < 0 ? plan.steps.length : open;
	const begun = plan.steps.some(({ status }) => status !== "Pending");
	const isOver = begun && current === plan.steps.length;
	return { ...plan, current_step: current, status: isOver ? "Completed" : begun ? "InProgress" : plan.status };
}

function lastRequest({ recent_history: history }: SessionSnapshot): string {
	return cut(history.findLast(({ role }) => role === "user")?.content.replace(/\s+/g, " ") ?? "", 300);
}

/** The first task of each description. */
function byDescription(tasks: readonly ActiveTask[]): Map<string, ActiveTask> {
	const by = new Map<string, ActiveTask>();
	for (const task of tasks) if (!by.has(wordsOf(task.description))) by.set(wordsOf(task.description), task);
	return by;
}

/** Normalised once: the same hundred tasks and sixty steps are compared at every change. */
function wordsOf(text: string): string {
	const known = NORMALISED.get(text);
	if (known !== undefined) return known;
	if (NORMALISED.size >= 1_000) NORMALISED.clear();
	const words = normalised(text);
	NORMALISED.set(text, words);
	return words;
}
const NORMALISED = new Map<string, string>();
