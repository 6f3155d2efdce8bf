import { keepLast, type OpenCall, type SessionState } from "./session-state.ts";

const READS = new Set(["Read", "NotebookRead"]);
const EDITS = new Set(["Edit", "Write", "MultiEdit", "NotebookEdit"]);

/** A file was read or edited. */
export function touch(state: SessionState, { tool, path = "", order, at = "" }: OpenCall): void {
	const known = state.files.find((file) => file.path === path);
	const { edits = 0, reads = 0, edited } = known ?? {};
	const [isEdited, isRead] = [Number(EDITS.has(tool)), Number(READS.has(tool))];
	const last = isEdited ? order : edited;
	const file = { path, edits: edits + isEdited, reads: reads + isRead, order, at };
	state.files = [
		...state.files.filter((one) => one !== known),
		{ ...file, ...(last !== undefined && { edited: last }) },
	];
	keepLast(state, "files");
}

/** The tool writes files. */
export const isEdit = (tool: string): boolean => EDITS.has(tool);

/** The file a call is on, where its input names one. */
export function filePath(input: Record<string, unknown>): string | undefined {
	const path = input.file_path ?? input.notebook_path;
	return typeof path === "string" && path.length < 1_000 ? path : undefined;
}
