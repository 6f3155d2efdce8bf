import { reloadedText } from "../../claude/machine/reloaded.ts";
import { optionally, readContent } from "../../claude/recovery/take-checkpoint.ts";
import { summaryText } from "../../core/block/lost.ts";
import { type Block, firstBlock } from "../../core/block/recovery-block.ts";
import { steeringText } from "../../core/block/steering.ts";
import type { Checkpoint } from "../../core/checkpoint/checkpoint.ts";
import { checkpointKey } from "../../core/checkpoint/checkpoint-key.ts";
import { emptyState } from "../../core/state/session-state.ts";
import { forModel } from "../../core/text/text.ts";
import { checkpointPath } from "../../store/recovery/checkpoints.ts";
import { type Answer, answer, type Hook } from "../run/event.ts";
import { agentCommand } from "./ccg-command.ts";
import { checkpointPlace } from "./checkpoint.ts";

/**
 * The recovery block of a compaction, compared with its summary where that is known already. `path`: where the whole checkpoint is to
 * be read; `null` where it could not be saved, and nothing of it can be searched.
 */
export function recoveryBlockOf(
	hook: Hook,
	{ state, workspace, key, projectDir, kept }: Checkpoint,
	summary: string | null,
	path: string | null = checkpointPath(hook.session, key),
): Block {
	const { config, env, log, budget } = hook;
	const may = { isSpent: budget.isSpent, log };
	const reloaded = optionally("what is loaded again", may, () => reloadedText(projectDir, env)) ?? "";
	const isSearched = config.search.enabled && path !== null;
	const input = {
		key,
		path,
		maxChars: config.recovery.maxChars,
		base: projectDir,
		kept,
		recall: isSearched ? `${agentCommand(hook, projectDir)} recall` : undefined,
	};
	const whole = optionally("work and names", may, () =>
		firstBlock({ ...input, state, workspace, reloaded }, summary === null ? null : summaryText(summary)),
	);
	if (whole) return whole;
	// what the user said and decided is injected when there is no time for more
	const { messages, decisions, cwd, order } = state;
	return firstBlock({ ...input, state: { ...emptyState(), messages, decisions, cwd, order }, workspace: null });
}

/** What a hook of a compaction says where nothing can be saved: from the transcript alone. `null` for any other event. */
export function unsaved(hook: Hook): Answer | null {
	const { input, session, config, now } = hook;
	const isBefore = input.hook_event_name === "PreCompact";
	const content = isBefore || input.source === "compact" ? readContent(checkpointPlace(hook)) : null;
	if (!content) return null;
	if (isBefore) {
		const steering = steeringText(content.state, config.steering.maxChars);
		return steering && forModel(steering);
	}
	const about = { version: 1, key: checkpointKey(now), at: now.toISOString(), session: session.id } as const;
	const checkpoint: Checkpoint = { ...content, ...about, trigger: "compact" };
	return answer("SessionStart", recoveryBlockOf(hook, checkpoint, null, null).text);
}
