import { readContent } from "../../claude/recovery/take-checkpoint.ts";
import { type Block, recoveryBlock } from "../../core/block/recovery-block.ts";
import { steeringFor } from "../../core/block/steering.ts";
import type { Checkpoint } from "../../core/checkpoint/checkpoint.ts";
import { checkpointKey } from "../../core/checkpoint/checkpoint-key.ts";
import { emptyState } from "../../core/state/session-state.ts";
import { forModel } from "../../core/text/text.ts";
import { attempt } from "../../files/quietly.ts";
import { checkpointPath } from "../../store/recovery/checkpoints.ts";
import { type Answer, type Hook, hookAnswer } from "../run/event.ts";
import { agentCommand } from "./ccg-command.ts";
import { checkpointPlace } from "./checkpoint.ts";

/**
 * The recovery block of a compaction. `path`: where the whole checkpoint is to be read; `null` where it could not be saved, and nothing of
 * it can be searched.
 */
export function recoveryBlockOf(
	hook: Hook,
	{ state, workspace, key, at, projectDir, kept }: Checkpoint,
	path: string | null = checkpointPath(hook.session, key),
): Block {
	const { config, log, budget } = hook;
	const isSearched = config.search.enabled && path !== null;
	const input = {
		...{ key, path, at, kept },
		maxChars: config.recovery.maxChars,
		base: projectDir,
		recall: isSearched ? `${agentCommand(hook, projectDir)} recall` : undefined,
	};
	const about = { name: "how the work stood", isSpent: budget.isSpent };
	const whole = attempt(log, () => recoveryBlock({ ...input, state, workspace }), about);
	if (whole) return whole;
	// what the user said and decided is injected when there is no time for more
	const { messages, decisions, cwd, order } = state;
	return recoveryBlock({ ...input, state: { ...emptyState(), messages, decisions, cwd, order }, workspace: null });
}

/** What a hook of a compaction says where nothing can be saved: from the transcript alone. `null` for any other event. */
export function unsaved(hook: Hook): Answer | null {
	const { input, session, config, now } = hook;
	const isBefore = input.hook_event_name === "PreCompact";
	const content = isBefore || input.source === "compact" ? readContent(checkpointPlace(hook)) : null;
	if (!content) return null;
	if (isBefore) {
		const steering = steeringFor(content.state, input.trigger, config.steering.maxChars);
		return steering && forModel(steering);
	}
	const about = { version: 1, key: checkpointKey(now), at: now.toISOString(), session: session.id } as const;
	const checkpoint: Checkpoint = { ...content, ...about, trigger: "compact" };
	return hookAnswer("SessionStart", recoveryBlockOf(hook, checkpoint, null).text);
}
