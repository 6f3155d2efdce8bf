/** Lines of a transcript and files of the store, as the hostile inputs need them. */
import { emptySnapshot } from "../../src/core/context/session-context.ts";
import type { Stage } from "./kit.ts";

/** One call of a tool and its result, as two lines. */
export function call(
	tool: string,
	input: unknown,
	n = 0,
	result: unknown = "done",
	detail: unknown = undefined,
): string {
	const at = "2026-01-02T03:04:05.000Z";
	const asked = { type: "tool_use", id: `toolu_x${n}`, name: tool, input };
	const told = { type: "tool_result", tool_use_id: `toolu_x${n}`, content: result };
	const line = (type: string, content: object, more: object = {}): string =>
		JSON.stringify({
			type,
			timestamp: at,
			uuid: `u-${type}-${n}`,
			message: { role: type, content: [content] },
			...more,
		});
	return `${line("assistant", asked)}\n${line("user", told, detail === undefined ? {} : { toolUseResult: detail })}`;
}

/** A session's snapshot as the store holds it, with other parts. */
export function snapshot(at: Stage, { state = {}, ...more }: { state?: object; [part: string]: unknown } = {}): string {
	const empty = emptySnapshot(at.sid, 0);
	const cursor = { ...empty.cursor, transcript_path: at.transcript };
	return JSON.stringify({ ...empty, cursor, ...more, state: { ...empty.state, order: 9, ...state } });
}
