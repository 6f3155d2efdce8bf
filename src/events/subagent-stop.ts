import { backgroundWork } from "../claude/hook-input.ts";
import { currentSession } from "../claude/transcript/read-session.ts";
import { waitForLines } from "../claude/transcript/transcripts.ts";
import type { Cycle } from "../core/session/cycle.ts";
import { safeHead } from "../core/text/safe-head.ts";
import { changeCycle, readCycle } from "../store/session/cycles.ts";
import type { EventHandler, Hook } from "./run/event.ts";
import { checkpointPlace } from "./steps/checkpoint.ts";
import { late } from "./steps/late.ts";
import { agentsAtWork, WAIT_MS, waveDue } from "./steps/turn-end.ts";

/** The result of the agent's call comes behind this event. */
const LAG_MS = 2_000;
/** Results of one message come together, and the others' ends are kept by hooks of their own. */
const TOGETHER_MS = 500;
const MAX_AGENTS = 200;
const SAID = 600;

/**
 * SubagentStop: keeps which subagent ended and what it said last, and takes a checkpoint when none runs any more. Registered
 * asynchronously. One whose result is not in the transcript yet is left to the next of these events or to the turn's end.
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
	if (!isOver(hook)) return null;
	Bun.sleepSync(TOGETHER_MS);
	const { agents = [] } = readCycle(session);
	if (agents.length < config.checkpoints.waveAgents) return null;
	const place = { ...checkpointPlace(hook), now: new Date() };
	late().saveDue(place, [waveDue(agents.length)], { keep: config.retention.maxCheckpoints, waitMs: WAIT_MS });
	return null;
};

/** Whether no subagent of the main thread runs: none of their calls is without a result, and none goes on in the background. */
function isOver({ input, session, log }: Hook): boolean {
	const path = input.transcript_path;
	if (!path) return false;
	const listed = backgroundWork(input)?.filter(({ kind, id }) => /agent/.test(kind) && id !== input.agent_id);
	if (listed?.length) return false;
	const look = (): string[] => {
		const { state } = currentSession(session, path);
		const calls = Object.keys(state.open);
		return agentsAtWork(state).filter((id) => calls.includes(id) || (!listed && id !== input.agent_id));
	};
	try {
		const open = look();
		if (open.length === 0) return true;
		waitForLines(
			path,
			open.map((id) => `"tool_use_id":"${id}"`),
			LAG_MS,
		);
		return look().length === 0;
	} catch (error) {
		log(error);
		return false;
	}
}
