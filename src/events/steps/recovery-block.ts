import { reloadedText } from "../../claude/machine/reloaded.ts";
import { optionally, readContent } from "../../claude/recovery/take-checkpoint.ts";
import { recoveryBudget } from "../../core/block/budget.ts";
import { summaryText } from "../../core/block/lost.ts";
import { type Block, firstBlock } from "../../core/block/recovery-block.ts";
import { steeringText } from "../../core/block/steering.ts";
import type { Checkpoint } from "../../core/checkpoint/checkpoint.ts";
import { checkpointKey } from "../../core/checkpoint/checkpoint-key.ts";
import { emptyState } from "../../core/state/session-state.ts";
import { forModel } from "../../core/text/text.ts";
import { readUsage } from "../../store/pressure/flags.ts";
import { checkpointPath } from "../../store/recovery/checkpoints.ts";
import { readCycle } from "../../store/session/cycles.ts";
import { sessionAt } from "../../store/session-handle.ts";
import { answer, type Services, type SessionInput } from "../run/event.ts";
import { agentCommand } from "./ccg-command.ts";
import { checkpointPlace } from "./checkpoint.ts";

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
	const { config, env, log, budget } = services;
	const { state, workspace, key, session, projectDir, kept } = checkpoint;
	const may = { isSpent: () => budget?.isSpent() ?? false, log };
	const summary = began === null ? null : optionally("the summary", may, () => summarySince(began, session, services));
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
		firstBlock({ ...input, state, workspace, reloaded }, summary ? summaryText(summary) : null),
	);
	if (whole) return whole;
	// what the user said and decided is injected when there is no time for more
	const { messages, decisions, cwd, order } = state;
	return firstBlock({ ...input, state: { ...emptyState(), messages, decisions, cwd, order }, workspace: null });
}

function summarySince(began: string, sid: string, services: Services): string | null {
	const { summary } = readCycle(sessionAt(services, sid));
	return summary && summary.at >= began ? summary.text : null;
}

/** Characters for both parts of a compaction. */
export function budgetOf({ session, state }: Checkpoint, services: Services): number {
	const usage = readUsage(sessionAt(services, session));
	return recoveryBudget(services.config.recovery.maxChars, usage?.window ?? null, state);
}

/** What a hook of a compaction says where nothing can be saved: from the transcript alone. `null` for any other event. */
export function unsaved(input: SessionInput, services: Services): string | null {
	const { config, now } = services;
	const isCompaction = input.hook_event_name === "PreCompact" || input.source === "compact";
	const content = isCompaction ? readContent(checkpointPlace(input, services)) : null;
	if (!content) return null;
	if (input.hook_event_name === "PreCompact") {
		const steering = steeringText(content.state, config.steering.maxChars);
		return steering && forModel(steering);
	}
	// what was not saved can't be searched
	const plain = { ...services, config: { ...config, search: { ...config.search, enabled: false } } };
	const at = now.toISOString();
	const checkpoint = { ...content, version: 1 as const, key: checkpointKey(now), at, session: input.session_id };
	return answer("SessionStart", recoveryBlockOf({ ...checkpoint, trigger: "compact" }, plain, null, null).text, null);
}
