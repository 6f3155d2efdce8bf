import { existsSync } from "node:fs";
import type { Checkpoint } from "../../core/recovery/checkpoint.ts";
import { checkpointKey } from "../../core/recovery/checkpoint-key.ts";
import { emptyState, type SessionState } from "../../core/state/session-state.ts";
import { safeText } from "../../core/text/text.ts";
import { projectOf } from "../../store/project.ts";
import { type CheckpointContent, saveCheckpoint } from "../../store/recovery/checkpoints.ts";
import { recentBatch } from "../../store/session/batch-record.ts";
import type { Session } from "../../store/session-handle.ts";
import { taskGlance } from "../../store/task/task-glance.ts";
import { memoryKeys } from "../machine/memory-keys.ts";
import { readWorkspace } from "../machine/workspace.ts";
import { currentSession } from "../transcript/current-session.ts";
import type { Pace } from "../transcript/read-transcript.ts";
import { waitForLines } from "../transcript/transcript-lag.ts";

/** Whose checkpoint is taken, and what may be done for it. */
export interface CheckpointPlace {
	session: Session;
	transcriptPath: string;
	/** The folder the session began in, `""` where there is none. */
	projectDir: string;
	/** The folder it works in by now. */
	workFolder: string;
	/** Claude Code's own folder, for its memories. */
	claudeRoot: string | null;
	now: Date;
	/** Calls whose results are to be in the transcript; without them those of the last batch, where it was noted a moment ago. */
	lastCalls?: readonly string[] | undefined;
	/** Of the transcript, up to this byte. */
	until?: number | undefined;
	pace?: Pace;
	/** Does a step the rest can do without; names it in `leftOut` where it fails or there is no time. */
	optionally<T>(name: string, act: () => T): T | null;
	leftOut: string[];
	/** Told when the transcript can't be read. */
	onUnread(error: unknown): void;
	log(reason: string): void;
}

/** Why a checkpoint is taken. */
export type CheckpointReason = Pick<CheckpointContent, "trigger" | "type" | "reason" | "note" | "waves">;

/** Reads transcript and workspace and saves them. Without a readable transcript the workspace alone is saved; `null` when there is neither. */
export function takeCheckpoint(place: CheckpointPlace, why: CheckpointReason): Checkpoint | null {
	const content = readContent(place);
	return content && saveCheckpoint(place.session, place.now, { ...content, ...why });
}

/** The same for a compaction, where nothing can be saved. */
export function unsavedCheckpoint(place: CheckpointPlace, trigger: string): Checkpoint | null {
	const { session, now } = place;
	const content = readContent(place);
	return (
		content && { version: 1, key: checkpointKey(now), at: now.toISOString(), session: session.id, trigger, ...content }
	);
}

/** What a checkpoint of now would hold; `null` without a transcript and a workspace. */
export function readContent(place: CheckpointPlace): Omit<CheckpointContent, "trigger"> | null {
	const { session, transcriptPath, projectDir, workFolder, claudeRoot, now, until, optionally, leftOut } = place;
	waitForLastBatch(place);
	let state: SessionState | null = null;
	try {
		const read = currentSession(session, transcriptPath, now, { until, ...(place.pace && { pace: place.pace }) });
		state = read.state;
		if (read.isCut) leftOut.push("what was not read of the transcript");
		if (read.isCut) place.log("left out for want of time: a part of the transcript");
	} catch (error) {
		place.onUnread(error);
		if (!projectDir) return null;
	}
	// the agent may work in a worktree or another folder by now
	const folder = workFolder && existsSync(workFolder) ? workFolder : projectDir;
	const since = state?.startedAt ?? "";
	const workspace = folder
		? optionally("the workspace", () => readWorkspace(folder, now, { base: projectDir, since }))
		: null;
	const task = taskGlance(session);
	if (workspace && task) workspace.task = safeTask(task);
	if (!state && !workspace?.branch && !workspace?.planSummary) return null;
	const memories = projectDir
		? optionally("the list of memories", () => memoryKeys(session.root, claudeRoot, projectDir))
		: null;
	return {
		projectDir,
		transcriptPath,
		state: state ?? emptyState(),
		workspace,
		...(leftOut.length > 0 && { leftOut }),
		...(projectDir && { project: projectOf(projectDir).key }),
		...(memories && { memories }),
	};
}

type Task = NonNullable<NonNullable<Checkpoint["workspace"]>["task"]>;

const safeTask = ({ goal, nextAction, phase, blockers, decisions }: Task): Task => ({
	goal: safeText(goal),
	nextAction: safeText(nextAction),
	...(phase && { phase: safeText(phase) }),
	...(blockers?.length && { blockers: blockers.map(safeText) }),
	...(decisions?.length && {
		decisions: decisions.map(({ decision, reason, at }) => ({
			decision: safeText(decision),
			reason: safeText(reason),
			at: safeText(at),
		})),
	}),
});

/** The transcript is written behind the events: the results of the last calls may not stand in it yet. */
function waitForLastBatch({ session, transcriptPath, now, lastCalls }: CheckpointPlace): void {
	const ids = transcriptPath ? (lastCalls ?? recentBatch(session, now, RECENT_MS)) : [];
	if (ids.length > 0)
		waitForLines(
			transcriptPath,
			ids.map((id) => `"tool_use_id":"${id}"`),
			LAG_MS,
		);
}

const RECENT_MS = 2_000;
const LAG_MS = 300;
