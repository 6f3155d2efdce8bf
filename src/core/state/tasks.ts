import { cut, safeText } from "../text/text.ts";
import type { EventOf } from "../transcript/event.ts";
import { keepLast, type OpenCall, type SessionState, type Task } from "./session-state.ts";

const MAX_TASKS = 100;

/** Follows TodoWrite (a whole list each time) and TaskCreate / TaskUpdate (one task each). */
export function applyTask(state: SessionState, event: EventOf<"call" | "result">, call?: OpenCall): void {
	if (event.kind === "call" && event.tool === "TodoWrite" && Array.isArray(event.input.todos))
		return replaceList(state, event.input.todos.slice(0, MAX_TASKS), event.at);
	if (event.kind === "call" && event.tool === "TaskUpdate") return update(state, event.input, event.at);
	if (event.kind === "result" && event.failed && call?.undo) return putBack(state, call.tool, call.undo);
	if (event.kind === "result" && call?.tool === "TaskCreate" && !event.failed) {
		const detail = event.detail as { task?: { id?: unknown } } | null;
		const id = detail?.task?.id ?? /Task #(\S+)/.exec(event.text)?.[1] ?? String(state.tasks.length + 1);
		state.tasks.push(task(state, event.at, String(id), call.input?.subject, "pending"));
		boundTasks(state);
	}
}

/** What a call is about to change, to be put back when it fails: the list of TodoWrite, the one task of TaskUpdate. */
export function tasksBefore({ tasks }: SessionState, { tool, input }: EventOf<"call">): Task[] | undefined {
	if (tool !== "TodoWrite" && tool !== "TaskUpdate") return undefined;
	const isMeant = (one: Task): boolean => (tool === "TodoWrite" ? isTodo(one) : one.id === String(input.taskId ?? ""));
	return structuredClone(tasks.filter(isMeant));
}

function putBack(state: SessionState, tool: string, undo: readonly Task[]): void {
	if (tool === "TodoWrite") state.tasks = [...state.tasks.filter((one) => !isTodo(one)), ...undo];
	else state.tasks = state.tasks.map((one) => undo.find(({ id }) => id === one.id) ?? one);
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
		const one = task(state, at, `${TODO}${i + 1}`, todo?.content, todo?.status);
		const known = old.get(one.subject);
		const { id, order, status } = one;
		if (known?.status === status) return { ...known, id, order };
		const { begun, evidence, madeAt = at } = known ?? {};
		return moved(state, { ...one, madeAt, ...(begun !== undefined && { begun }), ...(evidence && { evidence }) });
	});
	state.tasks = [...state.tasks.filter((one) => !isTodo(one)), ...now];
	boundTasks(state);
}

const TODO = "todo-";
/** An item of TodoWrite's list, which has no id of its own. */
const isTodo = ({ id }: Pick<Task, "id">): boolean => id.startsWith(TODO);

/** What is done or cancelled goes first, the oldest of it. */
const boundTasks = (state: SessionState): void =>
	keepLast(state, "tasks", [({ status }) => isDone(status) || status === "cancelled"]);
export const isDone = (status: string): boolean => status === "completed" || status === "done";

function update(state: SessionState, input: Record<string, unknown>, at: string): void {
	const id = String(input.taskId ?? "");
	const found = state.tasks.find((one) => one.id === id);
	if (!found) return;
	const before = { ...found };
	if (typeof input.subject === "string") found.subject = cut(safeText(input.subject), 300);
	found.order = state.order;
	if (typeof input.status === "string") setStatus(state, found, input.status);
	if (before.subject === found.subject && before.status === found.status) return;
	found.changedAt = at;
	delete found.archived;
}

function setStatus(state: SessionState, found: Task, status: string): void {
	// what was done and leaves the list stays done
	if (status === "deleted" && isDone(found.status)) return;
	found.status = status === "deleted" ? "cancelled" : cut(safeText(status), 30);
	moved(state, found);
}

/** A task began or ended: what was committed or tested meanwhile shows that it is done. */
function moved(state: SessionState, one: Task): Task {
	if (one.status === "in_progress") one.begun ??= state.order;
	// without a beginning nothing is known to have been done for it
	if (!isDone(one.status) || one.begun === undefined) return one;
	const since = one.begun;
	const commit = state.commits.findLast(({ order }) => order >= since);
	const check = state.checks.findLast(
		({ order, result, kind }) => order >= since && result === "worked" && kind === "test",
	);
	const evidence = [
		commit && `commit ${commit.hash} ${cut(commit.subject, 60)}`,
		check && `${cut(check.command.split("\n")[0]!, 60)}${check.outcome ? `: ${cut(check.outcome, 60)}` : " passed"}`,
	].filter(Boolean);
	if (evidence.length) one.evidence = evidence.join("; ");
	return one;
}

function task(state: SessionState, at: string, id: string, subject: unknown, status: unknown): Task {
	return {
		id,
		subject: cut(safeText(typeof subject === "string" ? subject : ""), 300),
		status: typeof status === "string" ? cut(safeText(status), 30) : "pending",
		order: state.order,
		madeAt: at,
		changedAt: at,
	};
}
