import { tryOrLog } from "../files/quietly.ts";
import { readFromStore, shortenLog } from "../store/database.ts";
import { databasePath } from "../store/paths.ts";
import type { EventHandler } from "./run/event.ts";
import { startSync } from "./steps/beside.ts";
import { embedNewest, indexTurn } from "./steps/bundles.ts";
import { findMoment, finishTurn, updateTurn } from "./steps/turn-end.ts";

/** Stop, at a turn's end: shortens the log before it writes to it, and brings record and index up to date. Asynchronous: nobody waits for it. */
export const stop: EventHandler = (hook) => {
	tryOrLog(hook.log, () => readFromStore(hook, (database) => shortenLog(database, databasePath(hook.root))));
	const isChanged = finishTurn(hook);
	tryOrLog(hook.log, () => startSync(hook, { oncePerMinute: true }));
	if (isChanged) indexTurn(hook);
	embedNewest(hook);
	return null;
};

/** What the mod in `queue-plugin/` asks behind a turn, with what Stop was given: "compact" at a good moment, where `moment` is "auto". */
export const goodMoment: EventHandler = (hook) =>
	hook.config.moment === "auto" && findMoment(hook, updateTurn(hook)) ? "compact" : null;
