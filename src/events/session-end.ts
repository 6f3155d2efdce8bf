import { type EventHandler, loggingOnce } from "./run/event.ts";
import { indexLate, turnEnd } from "./steps/turn-end.ts";
import { updateSession } from "./steps/update-session.ts";

/**
 * Brings the session up to date before a compaction (beside PreCompact's own hook, asynchronously) and when a session ends: Claude
 * Code's asynchronous hooks of the last turn may be cut off with it. Says nothing: PreCompact would take it as an answer.
 */
export const sessionEnd: EventHandler = (input, given) => {
	const services = loggingOnce(given);
	const isEnd = input.hook_event_name === "SessionEnd";
	if (isEnd) turnEnd(input, services, input.reason ?? "other");
	else updateSession(input, services);
	indexLate(input, services, false);
	return null;
};
