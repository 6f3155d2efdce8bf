import { fileSize, tryOrLog } from "../files/quietly.ts";
import { readFromStore } from "../store/database.ts";
import { databasePath } from "../store/paths.ts";
import type { EventHandler } from "./run/event.ts";
import { startSync } from "./steps/beside.ts";
import { embedNewest, indexTurn } from "./steps/bundles.ts";
import { finishTurn } from "./steps/turn-end.ts";

/** Stop, at a turn's end: brings the session's record and search index up to date. Asynchronous: nobody waits for it. */
export const stop: EventHandler = (hook) => {
	// each process reads the log, and SQLite begins it anew with what is written next
	const isLong = fileSize(`${databasePath(hook.root)}-wal`) > 1024 * 1024;
	if (isLong) tryOrLog(hook.log, () => readFromStore(hook, (database) => database.run("PRAGMA wal_checkpoint")));
	const isChanged = finishTurn(hook);
	tryOrLog(hook.log, () => startSync(hook, { oncePerMinute: true }));
	if (isChanged) indexTurn(hook);
	embedNewest(hook);
	return null;
};
