import { safeName } from "../text/safe-head.ts";
import type { EventOf } from "../transcript/event.ts";
import { keepLast, type SessionState } from "./session-state.ts";

const MAX_SYMBOLS = 12;
const READS = new Set(["Read", "NotebookRead"]);
const EDITS = new Set(["Edit", "Write", "MultiEdit", "NotebookEdit"]);

/** What an edit writes, of whichever tool. */
function codeIn(input: Record<string, unknown>): string {
	const edits = Array.isArray(input.edits) ? input.edits : [];
	return [input.new_string, input.content, input.new_source, ...edits.map((one) => one?.new_string)]
		.filter((one) => typeof one === "string")
		.join("\n");
}

/** A call that reads or edits a file. */
export function touch(state: SessionState, path: string, { tool, input, at }: EventOf<"call">): void {
	const index = state.files.findIndex((file) => file.path === path);
	const file: SessionState["files"][number] =
		index < 0 ? { path, edits: 0, reads: 0, order: 0, at: "" } : state.files.splice(index, 1)[0]!;
	if (EDITS.has(tool)) {
		file.edits++;
		const symbols = symbolsOf(path, codeIn(input).slice(0, 8_000)).map(safeName);
		if (symbols.length)
			file.symbols = [...(file.symbols ?? []).filter((one) => !symbols.includes(one)), ...symbols].slice(-MAX_SYMBOLS);
	}
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
	if (file.edits === 0) {
		delete file.symbols;
		delete file.edited;
	}
	if (file.edits + file.reads === 0) state.files = state.files.filter((one) => one !== file);
}

/** The tool writes files. */
export const isEdit = (tool: string): boolean => EDITS.has(tool);

/** The file a call is on, where its input names one. */
export function filePath(input: Record<string, unknown>): string | undefined {
	const path = input.file_path ?? input.notebook_path;
	return typeof path === "string" && path.length < 1_000 ? path : undefined;
}

const DECLARATION =
	/(?:^|[\s({;])(?:function\*?|class|interface|type|enum|struct|trait|impl|module|namespace|def|fn|func(?:\s+\([^)\n]{0,80}\))?|const|let|var|record|object|protocol)\s+([A-Za-z_$][\w$]{2,60})/g;
const NOISE = new Set(["the", "and", "for", "this", "that", "self", "err", "res", "req", "ctx", "i18n", "tmp"]);

const PROSE = /\.(?:md|mdx|txt|rst|adoc|html?|json|ya?ml|toml|csv|lock|log)$/i;

/** Names that a piece of code declares, in order, each once; none of prose and data. Short values count when named like a symbol. */
export function symbolsOf(path: string, code: string): string[] {
	if (PROSE.test(path)) return [];
	const found = new Set<string>();
	for (const [, name] of code.matchAll(DECLARATION))
		if (!NOISE.has(name!) && (name!.length > 4 || /[A-Z_\d]/.test(name!))) found.add(name!);
	return [...found];
}
