import { existsSync } from "node:fs";
import type { Checkpoint, CheckpointContent } from "../../core/checkpoint/checkpoint.ts";
import { type DueTrigger, isCovered, mergeDueTriggers, TRIGGERS } from "../../core/checkpoint/triggers.ts";
import type { Cycle } from "../../core/session/cycle.ts";
import type { SessionState } from "../../core/state/session-state.ts";
import { safeDeep } from "../../core/text/text.ts";
import { tryOrLog } from "../../files/quietly.ts";
import { errorCode } from "../../files/system-failure.ts";
import { findProject } from "../../store/project.ts";
import {
	addCheckpoint,
	deleteCheckpoint,
	listStoredCheckpoints,
	readLatestCheckpoint,
} from "../../store/recovery/checkpoints.ts";
import { readCycle } from "../../store/session/cycles.ts";
import { NO_TRANSCRIPT } from "../../store/session/records.ts";
import type { Session } from "../../store/session-handle.ts";
import { readTaskState } from "../../store/task/task-state.ts";
import { memoryInventory } from "../machine/memory-inventory.ts";
import { readWorkspace } from "../machine/workspace.ts";
import { readCurrentSession } from "../transcript/read-session.ts";

/** Whose checkpoint is taken, from which files, and in which time. */
export interface CheckpointSource {
	session: Session;
	transcriptPath: string;
	/** The folder the session began in, `""` where there is none. */
	projectDir: string;
	/** The folder it works in by now. */
	workFolder: string;
	/** Claude Code's own folder, for its memories. */
	claudeRoot: string | null;
	now: Date;
	/** Whether no call is under way, as at a compaction: then a call without a result in the transcript has ended too. */
	isBetweenCalls?: boolean;
	/** Whether the time is over for the parts that a checkpoint can do without. */
	isTimeUp?: () => boolean;
	log(reason: unknown): void;
}

/** The content of a checkpoint taken now; `null`, and why in the log, where the transcript can't be read. */
export function readCheckpointContent(place: CheckpointSource): Omit<CheckpointContent, "trigger"> | null {
	const { session, transcriptPath, projectDir, workFolder, claudeRoot, now, isTimeUp, log } = place;
	let state: SessionState;
	try {
		// (somebody waits: the end of what no hook has read, more where the user's last message is not in it)
		const maxBytes = 5 * 1024 * 1024;
		let read = readCurrentSession(session, transcriptPath, { isTimeUp, maxBytes });
		const hasRequest = !read.isPartial || (read.state.messages.at(-1)?.pos ?? 0) >= read.offset - maxBytes;
		if (!hasRequest) read = readCurrentSession(session, transcriptPath, { isTimeUp });
		state = read.state;
		if (place.isBetweenCalls) state.open = {};
		if (read.isCut) log("left out for want of time: a part of the transcript");
	} catch (error) {
		log(errorCode(error) === "ENOENT" ? NO_TRANSCRIPT : error);
		return null;
	}
	// the agent may work in a worktree or another folder by now
	const folder = workFolder && existsSync(workFolder) ? workFolder : projectDir;
	const workspace = folder && tryOrLog(log, () => readWorkspace(folder, now), { name: "the workspace", isTimeUp });
	const task = workspace && readOpenTask(session);
	if (task) workspace.task = task;
	const listMemories = () => memoryInventory(session.root, claudeRoot, projectDir).map(({ path: _, ...fact }) => fact);
	const memories = projectDir && tryOrLog(log, listMemories, { name: "the list of memories", isTimeUp });
	return {
		projectDir,
		transcriptPath,
		state,
		workspace: workspace || null,
		...(projectDir && { project: findProject(projectDir).key }),
		...(memories && { memories }),
	};
}

type Task = NonNullable<NonNullable<Checkpoint["workspace"]>["task"]>;

/** The session's open task: its goal, where it stands and what comes next; `null` where none is open. */
function readOpenTask({ paths }: Session): Task | null {
	const file = readTaskState(paths.folder);
	if (file.found !== "present" || file.state.status === "complete" || !file.state.goal) return null;
	const { goal, next_action: nextAction, current_phase: phase, blockers, decisions } = file.state;
	const recent = decisions.slice(-MAX_ENTRIES).map(({ decision, reason, at = "" }) => ({ decision, reason, at }));
	return safeDeep({
		goal,
		nextAction,
		...(phase && { phase }),
		blockers: blockers.slice(-MAX_ENTRIES),
		decisions: recent,
	}) as Task;
}

const MAX_ENTRIES = 20;

/**
 * Takes one checkpoint for all triggers that are due now. `null` when none is, when a checkpoint of this moment suffices, or when there is
 * nothing to save. `note`: the user's words on it; `keep`: how many automatic checkpoints a session keeps; `waitMs`: how long to wait
 * for another writer. Throws why the store can't be written.
 */
export function saveForTriggers(
	source: CheckpointSource,
	due: readonly DueTrigger[],
	{ note, keep, waitMs }: { note?: string | undefined; keep: number; waitMs: number },
): Checkpoint | null {
	const { session, now } = source;
	const mainTrigger = mergeDueTriggers(due);
	if (!mainTrigger) return null;
	const isStillNeeded = (): boolean => !isCovered(mainTrigger.trigger, now, readLatestCheckpoint(session));
	const content = isStillNeeded() ? readCheckpointContent(source) : null;
	if (!content) return null;
	const { type } = TRIGGERS[mainTrigger.trigger];
	const isWave = due.some(({ trigger }) => trigger === "wave_complete");
	const cycleNow = readCycle(session);
	if (isWave) endWave(cycleNow, now);
	const { waves = [] } = cycleNow;
	const editCycle = (cycle: Cycle, { key }: Checkpoint): void => {
		if (isWave) endWave(cycle, now);
		const wave = cycle.waves?.at(-1);
		if (isWave && wave) wave.key ??= key;
	};
	const whole = { ...content, ...mainTrigger, type, waves, ...(note && { note }) };
	const saved = addCheckpoint(session, now, whole, { editCycle, isStillNeeded, waitMs });
	if (saved && type !== "manual") deleteOldCheckpoints(session, keep);
	return saved;
}

const MAX_WAVES = 20;

/** Adds a wave to the cycle: the subagents that ended since the last wave. Without any, it changes nothing. */
function endWave(cycle: Cycle, now: Date): void {
	const { agents = [], waves = [] } = cycle;
	if (agents.length === 0) return;
	const number = (waves.at(-1)?.number ?? 0) + 1;
	const wave = { number, endedAt: now.toISOString(), agents: agents.map(({ type, said }) => ({ type, said })) };
	cycle.waves = [...waves, wave].slice(-MAX_WAVES);
	cycle.agents = [];
}

/** Deletes a session's automatic checkpoints (of waves, phases and time) except the newest `keep`: a long session would fill the disk. */
function deleteOldCheckpoints(session: Session, keep: number): void {
	const stored = listStoredCheckpoints(session, { sid: session.id });
	const automatic = stored.filter(({ key }) => /^(?:wave|phase|time)_/.test(key));
	for (const { key } of automatic.slice(keep)) deleteCheckpoint(session, key);
}
