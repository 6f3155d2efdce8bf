import { quotedName } from "../text/quoted.ts";
import { safeHead } from "../text/safe-head.ts";
import type { TranscriptEvent } from "../transcript/event.ts";
import { safeName } from "./file-uses.ts";
import { countDropped, type SessionState } from "./session-state.ts";

const MOST = 20;
const MAX_TEXT = 1_000;

/** Keeps a message of nobody known apart from what the user said: nothing follows from it. */
export function keepUnclear(
	state: SessionState,
	{ at, text, field }: Extract<TranscriptEvent, { kind: "unclear" }>,
): void {
	const kept = { at, order: state.order, text: safeHead(text, MAX_TEXT), field: safeName(field).slice(0, 100) };
	const before = state.unclear?.filter((one) => one.text !== kept.text) ?? [];
	if (before.length >= MOST) countDropped(state, "unclear messages");
	state.unclear = [...before, kept].slice(-MOST);
}

/** What of a session's transcript ccg does not know, for people; `null` where it could tell of all who spoke. */
export function unclearText({ unclear = [], claudeVersion }: SessionState): string | null {
	if (unclear.length === 0) return null;
	const fields = [...new Set(unclear.map(({ field }) => quotedName(field)))].slice(0, 5).join(", ");
	const count = unclear.length === 1 ? "one message" : `${unclear.length} messages`;
	return `unclear of ${count} who said it: Claude Code ${quotedName(claudeVersion)} writes what this ccg does not know: ${fields}`;
}
