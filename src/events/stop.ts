import { tryOrLog } from "../files/quietly.ts";
import { shortenLog } from "../store/database.ts";
import type { EventHandler } from "./run/event.ts";
import { startSync } from "./steps/beside.ts";
import { embedNewest, indexTurn } from "./steps/bundles.ts";
import { finishTurn } from "./steps/turn-end.ts";

/** Stop, at a turn's end: brings the session's record and search index up to date. Asynchronous: nobody waits for it. */
export const stop: EventHandler = (hook) => {
	// before it is written to: SQLite begins the log anew then
	tryOrLog(hook.log, () => shortenLog(hook));
	const isChanged = finishTurn(hook);
	tryOrLog(hook.log, () => startSync(hook, { oncePerMinute: true }));
	if (isChanged) indexTurn(hook);
	embedNewest(hook);
	return null;
};
