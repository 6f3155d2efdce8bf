import { safeText, truncate } from "../text/text.ts";
import type { EventOf } from "../transcript/event.ts";
import { currentPos, type OpenCall, type SessionState, type Task, trimList } from "./session-state.ts";

const MAX_TASKS = 100;

/** Applies a successful TodoWrite (a whole list each time), TaskCreate or TaskUpdate (one task each) to the state's tasks. */
export function applyTask(state: SessionState, { text, detail }: EventOf<"result">, call: OpenCall): void {
	const { tool, input = {}, at = "" } = call;
	if (tool === "TodoWrite" && Array.isArray(input.todos)) setTodos(state, input.todos.slice(0, MAX_TASKS), at);
	if (tool === "TaskUpdate") updateTask(state, input, at);
	if (tool !== "TaskCreate") return;
	const taskId = (detail as { task?: { id?: unknown } } | null)?.task?.id ?? /Task #(\S+)/.exec(text)?.[1];
	state.tasks.push(makeTask(state, at, String(taskId ?? state.tasks.length + 1), input.subject, "pending"));
	trimTasks(state);
}

/** Puts a new TodoWrite list in the place of the old one. A task that left it may be done, dropped or renamed: nobody can tell. */
function setTodos(state: SessionState, todos: ({ content?: unknown; status?: unknown } | null)[], at: string): void {
	// by subject, the first task of each; a map, since a list of a hundred comes with every step
	const oldTodos = state.tasks.filter(isTodo).toReversed();
	const oldBySubject = new Map(oldTodos.map((task) => [task.subject, task]));
	const newTasks = todos.map((todo, i) => {
		const newTask = makeTask(state, at, `${TODO_PREFIX}${i + 1}`, todo?.content, todo?.status);
		const oldTask = oldBySubject.get(newTask.subject);
		const { id, order, status } = newTask;
		return oldTask?.status === status
			? { ...oldTask, id, order }
			: { ...newTask, ...(oldTask && { madeAt: oldTask.madeAt ?? at, pos: oldTask.pos ?? 0 }) };
	});
	state.tasks = [...state.tasks.filter((task) => !isTodo(task)), ...newTasks];
	trimTasks(state);
}

const TODO_PREFIX = "todo-";
/** Whether a task comes from a TodoWrite list: those have no ids of their own and are numbered. */
const isTodo = ({ id }: Pick<Task, "id">): boolean => id.startsWith(TODO_PREFIX);

/** Keeps the task list within its bound: the oldest task that is done or cancelled goes first. */
const trimTasks = (state: SessionState): void => trimList(state, "tasks", (task) => !isOpenTask(task));
/** Whether a task is neither done nor cancelled. */
export const isOpenTask = ({ status }: Pick<Task, "status">): boolean =>
	!isDoneStatus(status) && status !== "cancelled";
/** Whether a task of this status is done, by either of Claude Code's words for it. */
export const isDoneStatus = (status: string): boolean => status === "completed" || status === "done";
/** Applies a TaskUpdate to its task; its time of change moves only where subject or status changed. */
function updateTask(state: SessionState, input: Record<string, unknown>, at: string): void {
	const id = String(input.taskId ?? "");
	const task = state.tasks.find((other) => other.id === id);
	if (!task) return;
	const before = { ...task };
	if (typeof input.subject === "string") task.subject = truncate(safeText(input.subject), 300);
	task.order = state.order;
	if (typeof input.status === "string") setTaskStatus(task, input.status);
	if (before.subject === task.subject && before.status === task.status) return;
	Object.assign(task, { changedAt: at, changed: state.pos ?? 0 });
}

/** Sets a task's status: deleted it counts as cancelled, but stays done where it was done. */
function setTaskStatus(task: Task, status: string): void {
	if (status === "deleted" && isDoneStatus(task.status)) return;
	task.status = status === "deleted" ? "cancelled" : truncate(safeText(status), 30);
}
/** A new task with safe, short texts, made at the line that is applied now. */
function makeTask(state: SessionState, at: string, id: string, subject: unknown, status: unknown): Task {
	return {
		id,
		subject: truncate(safeText(typeof subject === "string" ? subject : ""), 300),
		status: typeof status === "string" ? truncate(safeText(status), 30) : "pending",
		...{ order: state.order, ...currentPos(state), changed: state.pos ?? 0, madeAt: at, changedAt: at },
	};
}
