import { existsSync } from "node:fs";
import { type CheckpointPlace, readContent } from "../../claude/recovery/take-checkpoint.ts";
import type { LastCompaction } from "../../claude/transcript/compactions.ts";
import type { Checkpoint, Kept } from "../../core/checkpoint/checkpoint.ts";
import type { Cycle, Prepared } from "../../core/session/cycle.ts";
import { claudeRoot } from "../../store/paths.ts";
import { addCheckpoint, loadCheckpoint } from "../../store/recovery/checkpoints.ts";
import type { Hook } from "../run/event.ts";

/** Gives what a hook's checkpoint is taken from: session, transcript, folders, time. */
export function checkpointPlace({ input, session, env, now, log, budget }: Hook): CheckpointPlace {
	return {
		session,
		transcriptPath: input.transcript_path ?? "",
		projectDir: [env.CLAUDE_PROJECT_DIR, input.cwd].find((path) => path && existsSync(path)) ?? "",
		workFolder: input.cwd ?? "",
		claudeRoot: claudeRoot(env),
		now,
		isSpent: budget.isSpent,
		log,
	};
}

/** Claude Code compacts between calls: none is under way. */
const settledPlace = (hook: Hook): CheckpointPlace => ({ ...checkpointPlace(hook), isSettled: true });

/**
 * Takes the checkpoint of a compaction; `also` changes the cycle with it. `null` without a readable transcript.
 */
export function takeCompactionCheckpoint(
	hook: Hook,
	trigger: string,
	{ kept = [], also }: { kept?: Kept[]; also?: (cycle: Cycle, checkpoint: Checkpoint) => void },
): Checkpoint | null {
	const content = readContent(settledPlace(hook));
	if (!content) return null;
	const whole = { ...content, trigger, type: "precompact" as const, ...(kept.length > 0 && { kept }) };
	return addCheckpoint(hook.session, hook.now, whole, { also });
}

/**
 * The checkpoint of a compaction as the session stands now: a summary may have been made hours before it is put in, and the last
 * results stand in the transcript only by now. As PreCompact saved it where the transcript can't be read; `null` where neither is to
 * be had. `isNew`: it is not what was saved.
 */
export function checkpointAsItStands(
	hook: Hook,
	{ key, place, trigger }: Prepared,
	seen: LastCompaction,
): { checkpoint: Checkpoint; isNew: boolean } | null {
	const { session, now } = hook;
	const saved = loadCheckpoint(session, key);
	const content = readContent(settledPlace(hook));
	if (!content) return saved && { checkpoint: saved, isNew: false };
	const { state } = content;
	const boundary = seen.boundary();
	// what it held before; behind the boundary it is another context
	if (boundary && boundary.offset >= place) state.tokens = boundary.preTokens ?? saved?.state.tokens ?? null;
	// nothing came since
	if (saved && !boundary?.kept && JSON.stringify(saved.state) === JSON.stringify(state))
		return { checkpoint: saved, isNew: false };
	const about = { version: 1, key, session: session.id, trigger, type: "precompact" } as const;
	return { checkpoint: { ...about, ...content, at: now.toISOString(), kept: seen.kept(place) }, isNew: true };
}
