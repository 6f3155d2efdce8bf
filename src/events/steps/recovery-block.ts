import { reloadedText } from "../../claude/machine/reloaded.ts";
import { recoveryBudget } from "../../core/recovery/budget.ts";
import type { Checkpoint } from "../../core/recovery/checkpoint.ts";
import { summaryText } from "../../core/recovery/loss.ts";
import { type Block, firstBlock } from "../../core/recovery/recovery-block.ts";
import { emptyState, type SessionState } from "../../core/state/session-state.ts";
import { readUsage } from "../../store/pressure/usage-record.ts";
import { checkpointPath } from "../../store/recovery/checkpoints.ts";
import { readSummary } from "../../store/recovery/compaction-record.ts";
import { sessionAt } from "../../store/session-handle.ts";
import { NO_LIMIT, optionally } from "../run/budget.ts";
import type { Services } from "../run/event.ts";
import { agentCommand } from "./agent-command.ts";

/**
 * The recovery block of a compaction: compared with the summary that PostCompact brought since `began`, if any; with none for `null`.
 * `path`: where the whole checkpoint is to be read, `null` where it could not be saved.
 */
export function recoveryBlockOf(
	checkpoint: Checkpoint,
	services: Services,
	began: string | null,
	path: string | null = checkpointPath(sessionAt(services, checkpoint.session), checkpoint.key),
): Block {
	const { config, env, log } = services;
	const { state, workspace, key, session, projectDir, kept } = checkpoint;
	const may = { budget: services.budget ?? NO_LIMIT, log, leftOut: [] };
	const summary =
		began === null ? null : optionally("the summary", may, () => readSummary(sessionAt(services, session), began));
	const reloaded = optionally("what is loaded again", may, () => reloadedText(projectDir, env)) ?? "";
	const input = {
		key,
		path,
		maxChars: budgetOf(checkpoint, services),
		base: projectDir,
		kept,
		recall: config.search.enabled
			? `${agentCommand({ session_id: session, cwd: projectDir }, services)} recall`
			: undefined,
	};
	const whole = optionally("work and names", may, () =>
		firstBlock({ ...input, state, workspace, reloaded }, summary === null ? null : summaryText(summary)),
	);
	return whole ?? firstBlock({ ...input, state: wordsOf(state), workspace: null });
}

/** Characters for both parts of a compaction. */
export function budgetOf({ session, state }: Checkpoint, services: Services): number {
	const usage = readUsage(sessionAt(services, session));
	return recoveryBudget(services.config.recovery.maxChars, usage?.window ?? null, state);
}

/** What the user said and decided: what is injected when there is no time for more. */
function wordsOf(state: SessionState): SessionState {
	const { messages, decisions, cwd, order } = state;
	return { ...emptyState(), messages, decisions, cwd, order };
}
