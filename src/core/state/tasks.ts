import { cut, safeText } from "../text.ts";
import type { TranscriptEvent } from "../transcript/event.ts";
import type { OpenCall, SessionState } from "./session-state.ts";

const MAX_TASKS = 100;

/** Follows TodoWrite (a whole list each time) and TaskCreate / TaskUpdate (one task each). */
export function foldTask(
	state: SessionState,
	event: Extract<TranscriptEvent, { kind: "call" | "result" }>,
	call?: OpenCall,
): void {
	if (event.kind === "call" && event.tool === "TodoWrite" && Array.isArray(event.input.todos)) {
		state.tasks = event.input.todos
			.slice(0, MAX_TASKS)
			.map((todo: { content?: unknown; status?: unknown } | null, i) =>
				task(state, `todo-${i + 1}`, todo?.content, todo?.status),
			);
		return;
	}
	if (event.kind === "call" && event.tool === "TaskUpdate") return update(state, event.input);
	if (event.kind === "result" && call?.tool === "TaskCreate" && !event.failed) {
		const detail = event.detail as { task?: { id?: unknown } } | null;
		const id = detail?.task?.id ?? /Task #(\S+)/.exec(event.text)?.[1] ?? String(state.tasks.length + 1);
		if (state.tasks.length < MAX_TASKS) state.tasks.push(task(state, String(id), call.input?.subject, "pending"));
	}
}

function update(state: SessionState, input: Record<string, unknown>): void {
	const id = String(input.taskId ?? "");
	const found = state.tasks.find((one) => one.id === id);
	if (!found) return;
	if (typeof input.subject === "string") found.subject = cut(safeText(input.subject), 300);
	if (typeof input.status === "string") found.status = cut(safeText(input.status), 30);
	found.order = state.order;
	if (found.status === "deleted") state.tasks = state.tasks.filter((one) => one !== found);
}

function task(state: SessionState, id: string, subject: unknown, status: unknown) {
	return {
		id,
		subject: cut(safeText(typeof subject === "string" ? subject : ""), 300),
		status: typeof status === "string" ? cut(safeText(status), 30) : "pending",
		order: state.order,
	};
}
