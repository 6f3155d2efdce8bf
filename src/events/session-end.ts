import { existsSync } from "node:fs";
import { dueKey } from "../core/session/cycle.ts";
import { attempt } from "../files/quietly.ts";
import { readCycle } from "../store/session/cycles.ts";
import type { EventHandler } from "./run/event.ts";
import { startBeside, startSync } from "./steps/beside.ts";
import { indexTurn, loadBehindCompaction } from "./steps/bundles.ts";
import { renewReadable, turnEnd } from "./steps/turn-end.ts";
import { updateSession } from "./steps/update-session.ts";

/**
 * Brings the session up to date before a compaction (beside PreCompact), and when a session ends:
 * Claude Code's asynchronous hooks of the last turn may be cut off with it. Says nothing.
 */
export const sessionEnd: EventHandler = (hook) => {
	const { input, config, session, log } = hook;
	const isUntold = (): boolean => dueKey(readCycle(session)) !== null;
	if (input.hook_event_name === "SessionEnd") {
		turnEnd(hook, input.reason ?? "other");
		// a turn's end within a minute of another started none; who was told nothing and asked nothing wrote nothing
		if (existsSync(input.transcript_path ?? "")) attempt(log, () => startSync(hook));
		// an exit waits for this hook, the index does not have to
		if (config.search.enabled || isUntold())
			startBeside(hook, ["hook", "session-end"], { ...input, hook_event_name: "Stop" });
		return null;
	}
	updateSession(hook);
	indexTurn(hook);
	renewReadable(hook);
	attempt(log, () => isUntold() && loadBehindCompaction().reportDue(hook));
	return null;
};
