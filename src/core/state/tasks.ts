import { cut, safeText } from "../text/text.ts";
import type { EventOf } from "../transcript/event.ts";
import { boundList, type OpenCall, placeIn, type SessionState, type Task } from "./session-state.ts";

const MAX_TASKS = 100;

/** Follows TodoWrite (a whole list each time) and TaskCreate / TaskUpdate (one task each), once they are taken. */
export function applyTask(state: SessionState, { text, detail }: EventOf<"result">, call: OpenCall): void {
	const { tool, input = {}, at = "" } = call;
	if (tool === "TodoWrite" && Array.isArray(input.todos)) replaceList(state, input.todos.slice(0, MAX_TASKS), at);
	if (tool === "TaskUpdate") updateTask(state, input, at);
	if (tool !== "TaskCreate") return;
	const told = (detail as { task?: { id?: unknown } } | null)?.task?.id ?? /Task #(\S+)/.exec(text)?.[1];
	state.tasks.push(makeTask(state, at, String(told ?? state.tasks.length + 1), input.subject, "pending"));
	boundTasks(state);
}

/** A whole new list. What left it may be done, dropped or said in other words: nobody can tell. */
function replaceList(state: SessionState, todos: ({ content?: unknown; status?: unknown } | null)[], at: string): void {
	// by what they say, the first of those that say the same: a list of a hundred comes with every step
	const old = new Map(
		state.tasks
			.filter(isTodo)
			.toReversed()
			.map((one) => [one.subject, one] as const),
	);
	const now = todos.map((todo, i) => {
		const one = makeTask(state, at, `${TODO}${i + 1}`, todo?.content, todo?.status);
		const known = old.get(one.subject);
		const { id, order, status } = one;
		return known?.status === status
			? { ...known, id, order }
			: { ...one, ...(known && { madeAt: known.madeAt ?? at, pos: known.pos ?? 0 }) };
	});
	state.tasks = [...state.tasks.filter((one) => !isTodo(one)), ...now];
	boundTasks(state);
}

const TODO = "todo-";
const isTodo = ({ id }: Pick<Task, "id">): boolean => id.startsWith(TODO);

/** What is done or cancelled goes first, the oldest of it. */
const boundTasks = (state: SessionState): void =>
	boundList(state, "tasks", [({ status }) => isDoneStatus(status) || status === "cancelled"]);
export const isDoneStatus = (status: string): boolean => status === "completed" || status === "done";

function updateTask(state: SessionState, input: Record<string, unknown>, at: string): void {
	const id = String(input.taskId ?? "");
	const found = state.tasks.find((one) => one.id === id);
	if (!found) return;
	const before = { ...found };
	if (typeof input.subject === "string") found.subject = cut(safeText(input.subject), 300);
	found.order = state.order;
	if (typeof input.status === "string") setStatus(found, input.status);
	if (before.subject === found.subject && before.status === found.status) return;
	Object.assign(found, { changedAt: at, changed: state.pos ?? 0 });
}

function setStatus(found: Task, status: string): void {
	// what was done and leaves the list stays done
	if (status === "deleted" && isDoneStatus(found.status)) return;
	found.status = status === "deleted" ? "cancelled" : cut(safeText(status), 30);
}

function makeTask(state: SessionState, at: string, id: string, subject: unknown, status: unknown): Task {
	return {
		id,
		subject: cut(safeText(typeof subject === "string" ? subject : ""), 300),
		status: typeof status === "string" ? cut(safeText(status), 30) : "pending",
		order: state.order,
		...placeIn(state),
		changed: state.pos ?? 0,
		madeAt: at,
		changedAt: at,
	};
}
