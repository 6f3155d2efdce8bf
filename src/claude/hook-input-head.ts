import type { HookInput } from "./hook-input.ts";

const MAX_HEAD_BYTES = 64 * 1024;
const NAMES = ["session_id", "hook_event_name", "tool_name", "agent_id", "cwd"] as const;

/**
 * What stands before a tool's input in a hook's stdin that can't be parsed as a whole: Claude Code writes the names first, so
 * nothing that a tool is given is taken for them.
 */
export function headOfInput(bytes: Uint8Array): HookInput {
	const text = Buffer.from(bytes.subarray(0, MAX_HEAD_BYTES)).toString("utf8");
	const input: HookInput = {};
	const open = /\s*\{/y;
	if (!open.test(text)) return input;
	let at = open.lastIndex;
	for (;;) {
		const name = stringAt(text, at);
		if (!name || name.value === "tool_input") return input;
		const colon = /\s*:\s*/y;
		colon.lastIndex = name.end;
		if (!colon.test(text)) return input;
		const value = stringAt(text, colon.lastIndex);
		const known = NAMES.find((one) => one === name.value);
		if (value && known && input[known] === undefined) input[known] = value.value;
		at = value?.end ?? endOfValue(text, colon.lastIndex);
		const comma = /\s*,\s*/y;
		comma.lastIndex = at;
		if (!comma.test(text)) return input;
		at = comma.lastIndex;
	}
}

function stringAt(text: string, at: number): { value: string; end: number } | null {
	const form = /\s*"(?:[^"\\]|\\.)*"/sy;
	form.lastIndex = at;
	const found = form.exec(text)?.[0];
	if (found === undefined) return null;
	try {
		return { value: JSON.parse(found), end: form.lastIndex };
	} catch {
		return null;
	}
}

/** Where a value that is no string ends; the text's end when it does not. */
function endOfValue(text: string, start: number): number {
	let depth = 0;
	for (let at = start; at < text.length; at++) {
		const char = text[at]!;
		if (char === '"') {
			const end = stringAt(text, at)?.end;
			if (end === undefined) return text.length;
			at = end - 1;
		} else if (char === "{" || char === "[") depth++;
		else if (char === "}" || char === "]") {
			if (depth === 0) return at;
			depth--;
		} else if (char === "," && depth === 0) return at;
	}
	return text.length;
}
