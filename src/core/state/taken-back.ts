import { safeHead } from "../safe-head.ts";
import { folded } from "../text.ts";
import type { Message, SessionState } from "./session-state.ts";
import { shorten } from "./shorten.ts";

/** Of a message: the text as it is kept, and the characters that are missing in it. */
export function keptMessage(said: string): { text: string; cut: number } {
	const { text, missing } = shorten(safeHead(said, MAX_READ), MAX_MESSAGE);
	return { text, cut: missing + Math.max(0, said.length - MAX_READ) };
}

const MAX_MESSAGE = 6_000;
/** A longer one is a file that was pasted: its end is not looked at. */
const MAX_READ = 256 * 1024;

/** The user took a queued message back before it was given: it was never said, and neither was what it took back itself. */
export function takeBack(state: SessionState, said: string): void {
	const key = folded(keptMessage(said).text);
	const at = state.messages.findLastIndex(({ source, text }) => source === "queued" && folded(text) === key);
	if (at < 0) return;
	state.messages.splice(at, 1);
	for (const message of state.messages.slice(0, at)) undoWithdrawals(message, key);
}

function undoWithdrawals(message: Message, key: string): void {
	const left = message.withdrawn?.filter(({ by }) => !key.includes(folded(by)));
	if (left?.length === 0) delete message.withdrawn;
	else if (left) message.withdrawn = left;
}
