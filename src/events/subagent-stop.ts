import type { Cycle } from "../core/session/cycle.ts";
import { safeHead } from "../core/text/safe-head.ts";
import { changeCycle, readCycle } from "../store/session/cycles.ts";
import type { EventHandler } from "./run/event.ts";
import { takeDue, WAIT_MS } from "./steps/turn-end.ts";
import { updateSession } from "./steps/update-session.ts";

/** The result of the agent's call comes behind this event, and those of one message together. */
const LAG_MS = 500;
const MAX_AGENTS = 200;
const SAID = 600;

/**
 * SubagentStop: keeps which subagent ended and what it said last, and takes a checkpoint when none runs any more. Registered
 * asynchronously. While a result is not in the transcript yet, it is left to the next of these events or to the turn's end.
 */
export const subagentStop: EventHandler = (hook) => {
	const { input, session, config } = hook;
	// the summariser's fork has no type
	if (!input.agent_type || config.checkpoints.waveAgents === 0) return null;
	const agent = {
		id: safeHead(input.agent_id ?? "", 100),
		type: safeHead(input.agent_type, 100),
		said: safeHead(input.last_assistant_message ?? "", SAID),
		at: hook.now.toISOString(),
	};
	const add = (cycle: Cycle): void => {
		cycle.agents = [...(cycle.agents ?? []), agent].slice(-MAX_AGENTS);
	};
	changeCycle(session, add, WAIT_MS);
	Bun.sleepSync(LAG_MS);
	if ((readCycle(session).agents ?? []).length < config.checkpoints.waveAgents) return null;
	takeDue({ ...hook, now: new Date() }, updateSession(hook).state);
	return null;
};
