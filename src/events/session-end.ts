import { existsSync } from "node:fs";
import { sessionPaths } from "../store/paths.ts";
import { postToolBatch } from "./post-tool-batch.ts";
import { attempt, firstOnly } from "./run/attempt.ts";
import type { EventHandler } from "./run/event.ts";
import { updateSession } from "./steps/update-session.ts";

/**
 * Brings the session up to date before a compaction (beside PreCompact's own hook, asynchronously) and when a session ends: Claude
 * Code's asynchronous hooks of the last turn may be cut off with it, so the end also measures where no status line did. Says
 * nothing: PreCompact would take it as an answer.
 */
export const sessionEnd: EventHandler = (input, services) => {
	const isEnd = input.hook_event_name === "SessionEnd";
	const log = firstOnly(services.log);
	// an exit waits for this: no look for a transcript that is not there
	const isWritten = existsSync(input.transcript_path ?? "");
	if (isEnd && isWritten && !existsSync(sessionPaths(services.root, input.session_id).statusLineSeen))
		attempt(log, () => void postToolBatch(input, { ...services, log }));
	updateSession(input, { ...services, log }, isEnd ? (input.reason ?? "other") : undefined);
	return null;
};
