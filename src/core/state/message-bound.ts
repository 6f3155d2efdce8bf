import { standingStrength } from "./directives.ts";
import { countDropped, type Message, type SessionState } from "./session-state.ts";
import { withdrawalsOf } from "./withdrawals.ts";

const MAX_MESSAGES = 400;
/** The last ones are the work at hand, whatever they say. */
const LAST = 40;

/**
 * Keeps so many messages: the oldest that directs nothing goes first, then the oldest whose directives were of the moment or were
 * taken back, last the oldest of all.
 */
export function boundMessages(state: SessionState): void {
	const { messages } = state;
	while (messages.length > MAX_MESSAGES) {
		const older = messages.slice(0, -LAST);
		const silent = older.findIndex(({ directives }) => directives.length === 0);
		const withdrawals = silent >= 0 ? new Map() : recentWithdrawals(state);
		const at = silent >= 0 ? silent : older.findIndex((message) => !stands(message, withdrawals));
		messages.splice(Math.max(0, at), 1);
		countDropped(state, "messages");
	}
}

/** As of some messages before: who writes thousands of rules need not wait for each. */
function recentWithdrawals(state: SessionState): ReturnType<typeof withdrawalsOf> {
	let known = KNOWN.get(state);
	if (!known || state.order - known.order > LAST) known = { order: state.order, found: withdrawalsOf(state) };
	KNOWN.set(state, known);
	return known.found;
}
const KNOWN = new WeakMap<SessionState, { order: number; found: ReturnType<typeof withdrawalsOf> }>();

/** Asked at every message of a long session. */
const LASTING = new WeakMap<Message, number>();

/** Whether one of its directives is for the work to come and was not taken back. */
function stands(message: Message, withdrawals: ReturnType<typeof withdrawalsOf>): boolean {
	let lasting = LASTING.get(message);
	if (lasting === undefined) {
		lasting = message.directives.filter((directive) => standingStrength(directive) > 0).length;
		LASTING.set(message, lasting);
	}
	return lasting > (withdrawals.get(message) ?? []).length;
}
