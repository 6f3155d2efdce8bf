import { existsSync } from "node:fs";
import { backgroundWork } from "../claude/background-work.ts";
import { saveBackground } from "../store/background-record.ts";
import { sessionPaths } from "../store/paths.ts";
import { attempt, firstOnly } from "./attempt.ts";
import type { EventHandler } from "./event.ts";
import { keepContext } from "./keep-context.ts";
import { usage } from "./usage.ts";

/**
 * Stop: measures where no status line does, and brings the session's context up to date. Registered asynchronously, after
 * the turn: it holds nothing up.
 */
export const stop: EventHandler = (input, services) => {
	const log = firstOnly(services.log);
	if (!existsSync(sessionPaths(services.root, input.session_id).statusLineSeen))
		attempt(log, () => void usage(input, { ...services, log }));
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
