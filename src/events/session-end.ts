import { type EventHandler, loggingOnce } from "./run/event.ts";
import { startBeside } from "./steps/beside.ts";
import { indexLate, renewReadable, turnEnd } from "./steps/turn-end.ts";
import { updateSession } from "./steps/update-session.ts";

/**
 * Brings the session up to date before a compaction (beside PreCompact's own hook, asynchronously), in a long turn (beside a
 * measurement), and when a session ends: Claude Code's asynchronous hooks of the last turn may be cut off with it. Says nothing:
 * PreCompact would take it as an answer.
 */
export const sessionEnd: EventHandler = (given) => {
	const hook = loggingOnce(given);
	const { input, config } = hook;
	if (input.hook_event_name === "SessionEnd") {
		turnEnd(hook, input.reason ?? "other");
		// an exit waits for this hook, the index does not have to
		if (config.search.enabled) startBeside(hook, ["hook", "session-end"], { ...input, hook_event_name: "Stop" });
		return null;
	}
	updateSession(hook);
	indexLate(hook, false);
	renewReadable(hook);
	return null;
};
