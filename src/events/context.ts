import { existsSync } from "node:fs";
import { sessionPaths } from "../store/paths.ts";
import { attempt, firstOnly } from "./attempt.ts";
import type { EventHandler } from "./event.ts";
import { keepContext } from "./keep-context.ts";
import { usage } from "./usage.ts";

/**
 * The session's context before a compaction (beside PreCompact's own hook, asynchronously) and when a session ends: Claude
 * Code's asynchronous hooks of the last turn may be cut off with it, so the end also measures where no status line did. Says
 * nothing: PreCompact would take it as an answer.
 */
export const context: EventHandler = (input, services) => {
	const isEnd = input.hook_event_name === "SessionEnd";
	const log = firstOnly(services.log);
	// an exit waits for this: no look for a transcript that is not there
	const isWritten = existsSync(input.transcript_path ?? "");
	if (isEnd && isWritten && !existsSync(sessionPaths(services.root, input.session_id).statusLineSeen))
		attempt(log, () => void usage(input, { ...services, log }));
	keepContext(input, { ...services, log }, isEnd ? (input.reason ?? "other") : undefined);
	return null;
};
