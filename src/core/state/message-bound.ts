import { standingStrength } from "./directives.ts";
import { countDropped, type Message, type SessionState } from "./session-state.ts";

const MAX_MESSAGES = 400;
/** The last ones are the work at hand, whatever they say. */
const LAST = 40;

/**
 * Keeps so many messages: the oldest that directs nothing goes first, then the oldest whose directives were of the moment, last the oldest of all.
 */
export function boundMessages(state: SessionState): void {
	const { messages } = state;
	while (messages.length > MAX_MESSAGES) {
		const older = messages.slice(0, -LAST);
		const silent = older.findIndex(({ directives }) => directives.length === 0);
		const at = silent >= 0 ? silent : older.findIndex((message) => !stands(message));
		messages.splice(Math.max(0, at), 1);
		countDropped(state, "messages");
	}
}

/** Asked at every message of a long session. */
const LASTING = new WeakMap<Message, boolean>();

/** Whether one of its directives is for the work to come. */
function stands(message: Message): boolean {
	let lasting = LASTING.get(message);
	if (lasting === undefined) {
		lasting = message.directives.some((directive) => standingStrength(directive) > 0);
		LASTING.set(message, lasting);
	}
	return lasting;
}
