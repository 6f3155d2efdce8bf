import { type EventHandler, loggingOnce } from "./run/event.ts";
import { indexLate, renewReadable, turnEnd } from "./steps/turn-end.ts";
import { updateSession } from "./steps/update-session.ts";

/**
 * Brings the session up to date before a compaction (beside PreCompact's own hook, asynchronously), in a long turn (beside a
 * measurement), and when a session ends: Claude Code's asynchronous hooks of the last turn may be cut off with it. Says nothing:
 * PreCompact would take it as an answer.
 */
export const sessionEnd: EventHandler = (given) => {
	const hook = loggingOnce(given);
	if (hook.input.hook_event_name === "SessionEnd") turnEnd(hook, hook.input.reason ?? "other");
	else updateSession(hook);
	indexLate(hook, false);
	if (hook.input.hook_event_name !== "SessionEnd") renewReadable(hook);
	return null;
};
