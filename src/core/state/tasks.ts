import { cut, safeText } from "../text.ts";
import type { TranscriptEvent } from "../transcript/event.ts";
import type { OpenCall, SessionState, Task } from "./session-state.ts";

const MAX_TASKS = 100;
const MAX_CANCELLED = 10;

/** Follows TodoWrite (a whole list each time) and TaskCreate / TaskUpdate (one task each). */
export function foldTask(
	state: SessionState,
	event: Extract<TranscriptEvent, { kind: "call" | "result" }>,
	call?: OpenCall,
): void {
	if (event.kind === "call" && event.tool === "TodoWrite" && Array.isArray(event.input.todos))
		return replaceList(state, event.input.todos.slice(0, MAX_TASKS));
	if (event.kind === "call" && event.tool === "TaskUpdate") return update(state, event.input);
	if (event.kind === "result" && call?.tool === "TaskCreate" && !event.failed) {
		const detail = event.detail as { task?: { id?: unknown } } | null;
		const id = detail?.task?.id ?? /Task #(\S+)/.exec(event.text)?.[1] ?? String(state.tasks.length + 1);
		if (state.tasks.length < MAX_TASKS) state.tasks.push(task(state, String(id), call.input?.subject, "pending"));
	}
}

/** A whole new list: what left it unfinished was cancelled, unless the list begins anew. */
function replaceList(state: SessionState, todos: ({ content?: unknown; status?: unknown } | null)[]): void {
	const before = state.tasks.filter(({ id }) => id.startsWith(TODO));
	const others = state.tasks.filter(({ id }) => !id.startsWith(TODO));
	const now = todos.map((todo, i) => {
		const one = task(state, `${TODO}${i + 1}`, todo?.content, todo?.status);
		const known = before.find(({ subject }) => subject === one.subject);
		if (known?.begun !== undefined) one.begun = known.begun;
		if (known?.evidence) one.evidence = known.evidence;
		if (known?.status !== one.status) moved(state, one);
		return one;
	});
	const isNew = ({ subject }: Task): boolean => !before.some((one) => one.subject === subject);
	const gone = before.filter(({ id, subject, status }) => {
		if (isDone(status) || now.length === 0 || now.some((one) => one.subject === subject)) return false;
		// in other words at the same place
		return !now.some((one) => one.id === id && isNew(one));
	});
	const cancelled = gone.slice(-MAX_CANCELLED).map((one) => ({ ...one, status: "cancelled" }));
	state.tasks = [...others, ...now, ...cancelled].slice(-MAX_TASKS);
}

const TODO = "todo-";
const isDone = (status: string): boolean => status === "completed" || status === "done";

function update(state: SessionState, input: Record<string, unknown>): void {
	const id = String(input.taskId ?? "");
	const found = state.tasks.find((one) => one.id === id);
	if (!found) return;
	if (typeof input.subject === "string") found.subject = cut(safeText(input.subject), 300);
	found.order = state.order;
	if (typeof input.status !== "string") return;
	found.status = input.status === "deleted" ? "cancelled" : cut(safeText(input.status), 30);
	moved(state, found);
}

/** A task began or ended: what was committed or tested meanwhile shows that it is done. */
function moved(state: SessionState, one: Task): void {
	if (one.status === "in_progress") one.begun ??= state.order;
	if (!isDone(one.status)) return;
	const since = one.begun ?? 0;
	const commit = state.commits.findLast(({ order }) => order >= since);
	const check = state.checks.findLast(({ order, failed, kind }) => order >= since && !failed && kind === "test");
	const evidence = [
		commit && `commit ${commit.hash} ${cut(commit.subject, 60)}`,
		check && `${cut(check.command.split("\n")[0]!, 60)}${check.outcome ? `: ${cut(check.outcome, 60)}` : " passed"}`,
	].filter(Boolean);
	if (evidence.length) one.evidence = evidence.join("; ");
}

function task(state: SessionState, id: string, subject: unknown, status: unknown): Task {
	return {
		id,
		subject: cut(safeText(typeof subject === "string" ? subject : ""), 300),
		status: typeof status === "string" ? cut(safeText(status), 30) : "pending",
		order: state.order,
	};
}
