import { reloadedText } from "../claude/reloaded.ts";
import type { Checkpoint } from "../core/recovery/checkpoint.ts";
import { summaryText } from "../core/recovery/loss.ts";
import { firstBlock, type Given } from "../core/recovery/recovery-block.ts";
import { checkpointPath } from "../store/checkpoints.ts";
import { readSummary } from "../store/compaction-record.ts";
import type { Services } from "./event.ts";

/** The first part of what a compaction gives back: with the summary compared when PostCompact came before. */
export function givenFirst(checkpoint: Checkpoint, { root, config, env }: Services): Given {
	const { state, workspace, key, session, at, projectDir } = checkpoint;
	const summary = readSummary(root, session, at);
	const path = checkpointPath(root, session, key);
	return firstBlock(
		{ state, workspace, key, path, maxChars: config.recovery.maxChars, reloaded: reloadedText(projectDir, env) },
		summary === null ? null : summaryText(summary),
	);
}
