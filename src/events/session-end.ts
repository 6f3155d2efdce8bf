import { existsSync } from "node:fs";
import type { SessionState } from "../core/state/session-state.ts";
import { sessionPaths } from "../store/paths.ts";
import { sessionAt } from "../store/session-handle.ts";
import { postToolBatch } from "./post-tool-batch.ts";
import { attempt, firstOnly } from "./run/attempt.ts";
import type { EventHandler } from "./run/event.ts";
import { indexLate } from "./steps/index-late.ts";
import { learnTriggers } from "./steps/learn-triggers.ts";
import { undoWhenGone } from "./steps/plugin-upkeep.ts";
import { checkpointAtTurnsEnd, type TurnFacts, turnFacts } from "./steps/turn-checkpoint.ts";
import { type MetCompactions, updateSession } from "./steps/update-session.ts";

/**
 * Brings the session up to date before a compaction (beside PreCompact's own hook, asynchronously) and when a session ends: Claude
 * Code's asynchronous hooks of the last turn may be cut off with it, so the end also measures where no status line did. Says nothing: PreCompact would take it as an answer.
 */
export const sessionEnd: EventHandler = (input, services) => {
	const isEnd = input.hook_event_name === "SessionEnd";
	const log = firstOnly(services.log);
	// an exit waits for this: no look for a transcript that is not there
	const isWritten = existsSync(input.transcript_path ?? "");
	if (isEnd && isWritten && !existsSync(sessionPaths(services.root, input.session_id).statusLineSeen))
		attempt(log, () => void postToolBatch(input, { ...services, log }));
	const onCompactions = (met: MetCompactions): void => learnTriggers(input, { ...services, log }, met);
	const ended = isEnd ? (input.reason ?? "other") : undefined;
	let facts: TurnFacts | null = null;
	const onState = (state: SessionState): void => {
		facts = turnFacts(state, sessionAt(services, input.session_id), services.now);
	};
	updateSession(input, { ...services, log }, { ended, onCompactions, ...(isEnd && { onState }) });
	// Stop's own may have been cut off with the session
	attempt(log, () => facts && checkpointAtTurnsEnd(input, { ...services, log }, facts));
	indexLate(input, { ...services, log });
	if (isEnd) attempt(log, () => undoWhenGone(services));
	return null;
};
