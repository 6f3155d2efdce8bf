import { existsSync } from "node:fs";
import { unreportedKey } from "../core/session/cycle.ts";
import { startDetached } from "../files/on-path.ts";
import { tryOrLog } from "../files/quietly.ts";
import { readCycle } from "../store/session/cycles.ts";
import type { EventHandler } from "./run/event.ts";
import { startSync } from "./steps/beside.ts";
import { indexTurn, loadCompactionBundle } from "./steps/bundles.ts";
import { finishTurn, rewriteReadableFile } from "./steps/turn-end.ts";
import { updateSession } from "./steps/update-session.ts";

/**
 * SessionEnd: brings the session up to date, as Claude Code may have killed the asynchronous hooks of its last turn; the slow rest follows in
 * the background, by this same handler with the event "Stop". PreCompact starts it too. It prints nothing.
 */
export const sessionEnd: EventHandler = (hook) => {
	const { input, config, session, log } = hook;
	const hasUnreported = (): boolean => unreportedKey(readCycle(session)) !== null;
	if (input.hook_event_name === "SessionEnd") {
		finishTurn(hook, input.reason ?? "other");
		// the last turn may have started no exchange; a session without a transcript has no notes
		if (existsSync(input.transcript_path ?? "")) tryOrLog(log, () => startSync(hook));
		// Claude Code's exit waits for this process, not for that one
		if (config.search.enabled || hasUnreported())
			startDetached(hook.launcher, ["hook", "session-end"], hook.env, { ...input, hook_event_name: "Stop" });
		return null;
	}
	if (input.hook_event_name === "PreCompact") tryOrLog(log, () => loadCompactionBundle().settleCompaction(hook));
	updateSession(hook);
	indexTurn(hook);
	rewriteReadableFile(hook);
	tryOrLog(log, () => hasUnreported() && loadCompactionBundle().keepDueReport(hook));
	return null;
};
