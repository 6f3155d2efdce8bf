import type { EventHandler } from "./event.ts";
import { keepContext } from "./keep-context.ts";

/**
 * The session's context before a compaction (beside PreCompact's own hook, asynchronously) and when a session ends: Claude
 * Code's asynchronous hooks of the last turn may be cut off with it. Says nothing: PreCompact would take it as an answer.
 */
export const context: EventHandler = (input, services) => {
	const isEnd = input.hook_event_name === "SessionEnd";
	keepContext(input, services, isEnd ? (input.reason ?? "other") : undefined);
	return null;
};
