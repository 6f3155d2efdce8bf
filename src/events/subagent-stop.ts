import type { Cycle } from "../core/session/cycle.ts";
import { safeHead } from "../core/text/safe-head.ts";
import { changeCycle, readCycle } from "../store/session/cycles.ts";
import type { EventHandler } from "./run/event.ts";
import { saveDueCheckpoint, WAIT_MS } from "./steps/turn-end.ts";
import { updateSession } from "./steps/update-session.ts";

/** The transcript gets the result of the agent's call after this event. */
const LAG_MS = 500;
const MAX_AGENTS = 200;
const MAX_SAID_CHARS = 600;

/**
 * SubagentStop: keeps which subagent ended and what it said last, and saves a checkpoint when enough of them ended and none runs any more.
 * Asynchronous: nobody waits for it.
 */
export const subagentStop: EventHandler = (hook) => {
	const { input, session, config } = hook;
	// (the fork that writes a summary has no type)
	if (!input.agent_type || config.checkpoints.waveAgents === 0) return null;
	const agent = {
		id: safeHead(input.agent_id ?? "", 100),
		type: safeHead(input.agent_type, 100),
		said: safeHead(input.last_assistant_message ?? "", MAX_SAID_CHARS),
		at: hook.now.toISOString(),
	};
	const addAgent = (cycle: Cycle): void => {
		cycle.agents = [...(cycle.agents ?? []), agent].slice(-MAX_AGENTS);
	};
	changeCycle(session, addAgent, WAIT_MS);
	Bun.sleepSync(LAG_MS);
	if ((readCycle(session).agents ?? []).length < config.checkpoints.waveAgents) return null;
	saveDueCheckpoint({ ...hook, now: new Date() }, updateSession(hook).state);
	return null;
};
