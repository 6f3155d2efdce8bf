import { safeHead } from "../text/safe-head.ts";

/** Bounds of a kept input: what is deeper, wider or longer is left out. A question has four options, a plan 12,000 characters. */
const MAX_DEPTH = 8;
const MAX_WIDTH = 100;
const MAX_PARTS = 1_000;
const MAX_CHARS = 48_000;
const MAX_TEXT = 12_000;

/** Copies a call's input within these bounds, with safe texts: the copy lies on disk until the call's result comes. */
export function copyWithinBounds(input: Record<string, unknown>): Record<string, unknown> {
	let [partsLeft, charsLeft] = [MAX_PARTS, MAX_CHARS];
	const copyOf = (value: unknown, depth: number): unknown => {
		partsLeft--;
		if (typeof value === "string") {
			const text = safeHead(value, Math.min(MAX_TEXT, charsLeft));
			charsLeft -= text.length;
			return text;
		}
		if (value === null || typeof value !== "object") return value;
		if (depth >= MAX_DEPTH) return null;
		const entries: [string, unknown][] = [];
		for (const name in value) {
			if (entries.length >= MAX_WIDTH || partsLeft <= 0 || charsLeft <= 0) break;
			entries.push([safeHead(name, 200), copyOf((value as Record<string, unknown>)[name], depth + 1)]);
		}
		return Array.isArray(value) ? entries.map(([, item]) => item) : Object.fromEntries(entries);
	};
	return copyOf(input, 0) as Record<string, unknown>;
}

/** The path of the file that a call is made on, whatever the tool's name; `undefined` where its input names none. */
export function inputFilePath(input: Record<string, unknown>): string | undefined {
	const path = input.file_path ?? input.notebook_path;
	return typeof path === "string" && path.length < 1_000 ? path : undefined;
}

/** Reads from a call's input the texts that it replaces in its file, and what it puts there; `null` where it is no edit. */
export function readEdits(input: Record<string, unknown>): { before: string; after: string }[] | null {
	if (inputFilePath(input) === undefined) return null;
	const inputs = (Array.isArray(input.edits) ? input.edits : [input]).map(Object);
	const edits = inputs.flatMap(({ old_string: before, new_string, new_source, content }) => {
		const after = [new_string, new_source, content].find((value) => typeof value === "string");
		return after === undefined ? [] : [{ before: typeof before === "string" ? before : "", after }];
	});
	return edits.length > 0 ? edits : null;
}
