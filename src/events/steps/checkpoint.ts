import { existsSync } from "node:fs";
import { type CheckpointSource, readCheckpointContent } from "../../claude/recovery/take-checkpoint.ts";
import type { LastCompaction } from "../../claude/transcript/compactions.ts";
import type { Checkpoint, VerbatimRange } from "../../core/checkpoint/checkpoint.ts";
import type { Cycle, Prepared } from "../../core/session/cycle.ts";
import { claudeRoot } from "../../store/paths.ts";
import { addCheckpoint, readCheckpoint } from "../../store/recovery/checkpoints.ts";
import type { Hook } from "../run/event.ts";

/** What a hook's checkpoint is made from: session, transcript, folders, time. */
export function checkpointSource({ input, session, env, now, log, budget }: Hook): CheckpointSource {
	return {
		session,
		transcriptPath: input.transcript_path ?? "",
		projectDir: [env.CLAUDE_PROJECT_DIR, input.cwd].find((path) => path && existsSync(path)) ?? "",
		workFolder: input.cwd ?? "",
		claudeRoot: claudeRoot(env),
		now,
		isTimeUp: budget.isTimeUp,
		log,
	};
}

/** The same for the checkpoint of a compaction: Claude Code compacts between calls, so none is running. */
const sourceBetweenCalls = (hook: Hook): CheckpointSource => ({ ...checkpointSource(hook), isBetweenCalls: true });

/** Saves the checkpoint of a compaction, and lets `editCycle` change the cycle with it. `null` without a readable transcript. */
export function saveCompactionCheckpoint(
	hook: Hook,
	trigger: string,
	{ kept = [], editCycle }: { kept?: VerbatimRange[]; editCycle?: (cycle: Cycle, checkpoint: Checkpoint) => void },
): Checkpoint | null {
	const content = readCheckpointContent(sourceBetweenCalls(hook));
	if (!content) return null;
	const toSave = { ...content, trigger, type: "precompact" as const, ...(kept.length > 0 && { kept }) };
	return addCheckpoint(hook.session, hook.now, toSave, { editCycle });
}

/**
 * The checkpoint that a compaction's block is made from: read anew, as PreCompact may have saved it hours ago; the saved one where the
 * transcript can't be read; `null` without either. `isChanged`: it differs from the saved one.
 */
export function checkpointForBlock(
	hook: Hook,
	{ key, place, trigger }: Prepared,
	transcript: LastCompaction,
): { checkpoint: Checkpoint; isChanged: boolean } | null {
	const { session, now } = hook;
	const saved = readCheckpoint(session, key);
	const content = readCheckpointContent(sourceBetweenCalls(hook));
	if (!content) return saved && { checkpoint: saved, isChanged: false };
	const { state } = content;
	const boundary = transcript.boundary();
	// the tokens before the compaction: after its boundary the context is another one
	if (boundary && boundary.offset >= place) state.tokens = boundary.preTokens ?? saved?.state.tokens ?? null;
	// the transcript gained nothing since
	if (saved && !boundary?.kept && JSON.stringify(saved.state) === JSON.stringify(state))
		return { checkpoint: saved, isChanged: false };
	const identity = { version: 1, key, session: session.id, trigger, type: "precompact" } as const;
	const kept = transcript.keptRanges(place);
	return { checkpoint: { ...identity, ...content, at: now.toISOString(), kept }, isChanged: true };
}
