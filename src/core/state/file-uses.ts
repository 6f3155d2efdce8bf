import type { EventOf } from "../transcript/event.ts";
import { keepLast, type SessionState } from "./session-state.ts";

const READS = new Set(["Read", "NotebookRead"]);
const EDITS = new Set(["Edit", "Write", "MultiEdit", "NotebookEdit"]);

/** A call that reads or edits a file. */
export function touch(state: SessionState, path: string, { tool, at }: EventOf<"call">): void {
	const index = state.files.findIndex((file) => file.path === path);
	const file: SessionState["files"][number] =
		index < 0 ? { path, edits: 0, reads: 0, order: 0, at: "" } : state.files.splice(index, 1)[0]!;
	if (EDITS.has(tool)) file.edits++;
	if (READS.has(tool)) file.reads++;
	file.order = state.order;
	file.at = at;
	state.files.push(file);
	keepLast(state, "files");
}

/** An edit that went well. */
export function noteEdited(state: SessionState, path: string, order: number): void {
	const file = state.files.find((one) => one.path === path);
	if (file) file.edited = Math.max(order, file.edited ?? 0);
}

/** An edit that was rejected or failed changed nothing. */
export function unEdit(state: SessionState, path: string): void {
	const file = state.files.find((one) => one.path === path);
	if (!file || file.edits === 0) return;
	file.edits--;
	if (file.edits === 0) delete file.edited;
	if (file.edits + file.reads === 0) state.files = state.files.filter((one) => one !== file);
}

/** The tool writes files. */
export const isEdit = (tool: string): boolean => EDITS.has(tool);

/** The file a call is on, where its input names one. */
export function filePath(input: Record<string, unknown>): string | undefined {
	const path = input.file_path ?? input.notebook_path;
	return typeof path === "string" && path.length < 1_000 ? path : undefined;
}
