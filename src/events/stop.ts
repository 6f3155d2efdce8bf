import { attempt } from "../files/quietly.ts";
import type { EventHandler } from "./run/event.ts";
import { startSync } from "./steps/beside.ts";
import { embedNewest, indexTurn } from "./steps/bundles.ts";
import { turnEnd } from "./steps/turn-end.ts";

/** Stop: brings the session up to date. Registered asynchronously, after the turn: it holds nothing up. */
export const stop: EventHandler = (hook) => {
	const isNew = turnEnd(hook);
	attempt(hook.log, () => startSync(hook, true));
	if (isNew) indexTurn(hook);
	embedNewest(hook);
	return null;
};
