import { existsSync } from "node:fs";
import { type Due, HIGH_USE } from "../core/recovery/checkpoints/triggers.ts";
import type { SessionState } from "../core/state/session-state.ts";
import { dropLossNote, freshLossNote } from "../store/recovery/loss-note.ts";
import { sessionAt } from "../store/session-handle.ts";
import { postToolBatch } from "./post-tool-batch.ts";
import { attempt, firstOnly } from "./run/attempt.ts";
import type { EventHandler } from "./run/event.ts";
import { embedLate } from "./steps/embed-late.ts";
import { indexLate } from "./steps/index-late.ts";
import { learnTriggers } from "./steps/learn-triggers.ts";
import { checkpointAtTurnsEnd, type TurnFacts, turnFacts } from "./steps/turn-checkpoint.ts";
import { type MetCompactions, updateSession } from "./steps/update-session.ts";

/**
 * Stop: measures where no status line does, and brings the session up to date. Registered asynchronously, after
 * the turn: it holds nothing up.
 */
export const stop: EventHandler = (input, services) => {
	const log = firstOnly(services.log);
	const session = sessionAt(services, input.session_id);
	// one of an earlier turn; without prompt ids that turn ends here
	if (!input.prompt_id || !freshLossNote(session, input.prompt_id)) dropLossNote(session);
	const due: Due[] = [];
	const onHighUse = (): void => void due.push(HIGH_USE);
	if (!existsSync(session.paths.statusLineSeen))
		attempt(log, () => void postToolBatch(input, { ...services, log }, onHighUse));
	const onCompactions = (met: MetCompactions): void => learnTriggers(input, { ...services, log }, met);
	let facts: TurnFacts | null = null;
	const onState = (state: SessionState): void => {
		facts = turnFacts(state, session, services.now);
	};
	updateSession(input, { ...services, log }, { onCompactions, onState });
	attempt(log, () => facts && checkpointAtTurnsEnd(input, { ...services, log }, facts, due));
	indexLate(input, { ...services, log }, { fills: true });
	attempt(log, () => embedLate(services));
	return null;
};
