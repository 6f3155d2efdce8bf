import { readCheckpointContent } from "../../claude/recovery/take-checkpoint.ts";
import { type Block, recoveryBlock } from "../../core/block/recovery-block.ts";
import { steeringText } from "../../core/block/steering.ts";
import type { Checkpoint } from "../../core/checkpoint/checkpoint.ts";
import { checkpointKey } from "../../core/checkpoint/checkpoint-key.ts";
import { emptyState } from "../../core/state/session-state.ts";
import { cleanForModel } from "../../core/text/text.ts";
import { tryOrLog } from "../../files/quietly.ts";
import { checkpointPath } from "../../store/recovery/checkpoints.ts";
import { type Answer, type Hook, hookAnswer } from "../run/event.ts";
import { agentCommand } from "./ccg-command.ts";
import { checkpointSource } from "./checkpoint.ts";

/**
 * Makes the recovery block from a compaction's checkpoint. `path`: the readable file of the checkpoint, which the block names; `null` where
 * it could not be saved. Where the hook's time is over, the block holds the user's words and decisions alone.
 */
export function makeRecoveryBlock(
	hook: Hook,
	{ state, workspace, key, at, projectDir, kept }: Checkpoint,
	path: string | null = checkpointPath(hook.session, key),
): Block {
	const { config, log, budget } = hook;
	const canRecall = config.search.enabled && path !== null;
	const input = {
		...{ key, path, at, kept },
		maxChars: config.recovery.maxChars,
		base: projectDir,
		recall: canRecall ? `${agentCommand(hook, projectDir)} recall` : undefined,
	};
	const optionalStep = { name: "how the work stood", isTimeUp: budget.isTimeUp };
	const block = tryOrLog(log, () => recoveryBlock({ ...input, state, workspace }), optionalStep);
	if (block) return block;
	const { messages, decisions, cwd, order } = state;
	return recoveryBlock({ ...input, state: { ...emptyState(), messages, decisions, cwd, order }, workspace: null });
}

/** What PreCompact, or SessionStart after a compaction, says where the store can't be written: made from the transcript alone. Else `null`. */
export function answerUnsaved(hook: Hook): Answer | null {
	const { input, session, config, now } = hook;
	const isBefore = input.hook_event_name === "PreCompact";
	const content = isBefore || input.source === "compact" ? readCheckpointContent(checkpointSource(hook)) : null;
	if (!content) return null;
	if (isBefore) {
		const steering = steeringText(content.state, input.trigger, config.steering.maxChars);
		return steering && cleanForModel(steering);
	}
	const identity = { version: 1, key: checkpointKey(now), at: now.toISOString(), session: session.id } as const;
	const checkpoint: Checkpoint = { ...content, ...identity, trigger: "compact" };
	return hookAnswer("SessionStart", makeRecoveryBlock(hook, checkpoint, null).text);
}
