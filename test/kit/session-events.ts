import { applyToState } from "../../src/core/state/apply.ts";
import { emptyState, type SessionState } from "../../src/core/state/session-state.ts";
import { decodeLine } from "../../src/core/transcript/decode.ts";
import type { TranscriptEvent } from "../../src/core/transcript/event.ts";

/** When every event of these happens. */
export const at = "2026-11-21T02:00:00.000Z";
let ids = 0;

export const message = (text: string, source: "typed" | "queued" | "command" = "typed"): TranscriptEvent => ({
	kind: "message",
	at,
	text,
	source,
});

/** Put into the queue, by the queue's own record. */
export const enqueued = (text: string): TranscriptEvent => ({
	kind: "message",
	at,
	text,
	source: "queued",
	waits: true,
});

export const takenBack = (text: string): TranscriptEvent => ({ kind: "taken back", at, text });

/** A call and its result. */
export function call(
	tool: string,
	input: Record<string, unknown>,
	text = "ok",
	failed = false,
	detail: unknown = null,
) {
	const id = `toolu_${++ids}`;
	return [
		{ kind: "call", at, id, tool, input },
		{ kind: "result", at, id, failed, text, detail },
	] satisfies TranscriptEvent[];
}

/** The events of a row of `sessions.txt`. */
export function eventsIn(row: string): TranscriptEvent[] {
	const given = JSON.parse(row);
	if (typeof given === "string") return [message(given)];
	if (Array.isArray(given)) return call(...(given as Parameters<typeof call>));
	return given.line ? decodeLine({ timestamp: at, ...given.line }) : [{ at, ...given }];
}

export function stateOf(...events: (TranscriptEvent | TranscriptEvent[])[]): SessionState {
	const state = emptyState();
	for (const event of events.flat()) applyToState(state, event);
	return state;
}
