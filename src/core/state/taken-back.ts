import { safeHead } from "../text/safe-head.ts";
import { normalised } from "../text/text.ts";
import { leavePlace, type SessionState } from "./session-state.ts";
import { shorten } from "./shorten.ts";

/** Of a message: the text as it is kept, and the characters that are missing in it. */
export function keptMessage(said: string): { text: string; cut: number } {
	const { text, missing } = shorten(safeHead(said, MAX_READ), MAX_MESSAGE);
	return { text, cut: missing + Math.max(0, said.length - MAX_READ) };
}

const MAX_MESSAGE = 6_000;
/** A longer one is a file that was pasted: its end is not looked at. */
const MAX_READ = 256 * 1024;

/**
 * Whether a queued message is one of the last: put into the queue once more, or given from it. Up to 2.1.39 a message given in
 * the middle of a turn is not written again, so it is counted how often it went in.
 */
export function isQueuedAgain(state: SessionState, text: string, waits = false): boolean {
	const key = normalised(text);
	const same = state.messages.slice(-5).findLast((message) => normalised(message.text) === key);
	if (same?.waits && waits) same.waits++;
	else delete same?.waits;
	return same !== undefined;
}

/**
 * The user took a queued message back before it was given: it was never said. One
 * that was given before, and queued again, stays. Gives whether it was never said.
 */
export function takeBack(state: SessionState, said: string): boolean {
	const key = normalised(keptMessage(said).text);
	const at = state.messages.findLastIndex(({ waits, text }) => waits && normalised(text) === key);
	const message = state.messages[at];
	if (!message?.waits || --message.waits > 0) return false;
	state.messages.splice(at, 1);
	leavePlace(state, message.order);
	return true;
}
