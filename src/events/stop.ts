import { existsSync } from "node:fs";
import { backgroundWork } from "../claude/background-work.ts";
import { sessionPaths } from "../store/paths.ts";
import { saveBackground } from "../store/session/background-record.ts";
import { postToolBatch } from "./post-tool-batch.ts";
import { attempt, firstOnly } from "./run/attempt.ts";
import type { EventHandler } from "./run/event.ts";
import { keepContext } from "./steps/keep-context.ts";

/**
 * Stop: measures where no status line does, and brings the session's context up to date. Registered asynchronously, after
 * the turn: it holds nothing up.
 */
export const stop: EventHandler = (input, services) => {
	const log = firstOnly(services.log);
	if (!existsSync(sessionPaths(services.root, input.session_id).statusLineSeen))
		attempt(log, () => void postToolBatch(input, { ...services, log }));
	const tasks = backgroundWork(input);
	if (tasks)
		attempt(log, () =>
			saveBackground(services.root, input.session_id, {
				at: services.now.toISOString(),
				tasks: tasks.map(({ id, kind, description }) => ({ id, kind, description })),
			}),
		);
	keepContext(input, { ...services, log });
	return null;
};
