import { existsSync } from "node:fs";
import { sessionPaths } from "../store/paths.ts";
import { postToolBatch } from "./post-tool-batch.ts";
import { attempt, firstOnly } from "./run/attempt.ts";
import type { EventHandler } from "./run/event.ts";
import { embedLate } from "./steps/embed-late.ts";
import { indexLate } from "./steps/index-late.ts";
import { learnTriggers } from "./steps/learn-triggers.ts";
import { type MetCompactions, updateSession } from "./steps/update-session.ts";

/**
 * Stop: measures where no status line does, and brings the session up to date. Registered asynchronously, after
 * the turn: it holds nothing up.
 */
export const stop: EventHandler = (input, services) => {
	const log = firstOnly(services.log);
	if (!existsSync(sessionPaths(services.root, input.session_id).statusLineSeen))
		attempt(log, () => void postToolBatch(input, { ...services, log }));
	const onCompactions = (met: MetCompactions): void => learnTriggers(input, { ...services, log }, met);
	updateSession(input, { ...services, log }, { onCompactions });
	indexLate(input, { ...services, log }, { fills: true });
	attempt(log, () => embedLate(services));
	return null;
};
