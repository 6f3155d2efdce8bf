import { existsSync } from "node:fs";
import type { Checkpoint, CheckpointContent } from "../../core/checkpoint/checkpoint.ts";
import { type Due, isCovered, mostImportant, TRIGGERS } from "../../core/checkpoint/triggers.ts";
import type { Cycle } from "../../core/session/cycle.ts";
import type { SessionState } from "../../core/state/session-state.ts";
import { safeDeep } from "../../core/text/text.ts";
import { attempt } from "../../files/quietly.ts";
import { errorCode } from "../../files/system-failure.ts";
import { projectOf } from "../../store/project.ts";
import {
	addCheckpoint,
	deleteCheckpoint,
	latestCheckpoint,
	storedCheckpoints,
} from "../../store/recovery/checkpoints.ts";
import { readCycle } from "../../store/session/cycles.ts";
import { NO_TRANSCRIPT } from "../../store/session/records.ts";
import type { Session } from "../../store/session-handle.ts";
import { readState } from "../../store/task/task-state.ts";
import { memoryInventory } from "../machine/memory-inventory.ts";
import { readWorkspace } from "../machine/workspace.ts";
import { currentSession } from "../transcript/read-session.ts";

/** Whose checkpoint is taken, from which files, and in which time. */
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
	/** Whether no call is under way, as at a compaction: then a call without a result in the transcript has ended too. */
	isSettled?: boolean;
	/** Whether the time is over for the parts that a checkpoint can do without. */
	isSpent?: () => boolean;
	log(reason: unknown): void;
}

/** The content of a checkpoint taken now; `null`, and the reason logged, where the transcript can't be read: a workspace alone is no session. */
export function readContent(place: CheckpointPlace): Omit<CheckpointContent, "trigger"> | null {
	const { session, transcriptPath, projectDir, workFolder, claudeRoot, now, isSpent, log } = place;
	let state: SessionState;
	try {
		const read = currentSession(session, transcriptPath, { isSpent });
		state = read.state;
		if (place.isSettled) state.open = {};
		if (read.isCut) log("left out for want of time: a part of the transcript");
	} catch (error) {
		log(errorCode(error) === "ENOENT" ? NO_TRANSCRIPT : error);
		return null;
	}
	// the agent may work in a worktree or another folder by now
	const folder = workFolder && existsSync(workFolder) ? workFolder : projectDir;
	const workspace = folder && attempt(log, () => readWorkspace(folder, now), { name: "the workspace", isSpent });
	const task = workspace && openTask(session);
	if (task) workspace.task = task;
	const listMemories = () => memoryInventory(session.root, claudeRoot, projectDir).map(({ path: _, ...fact }) => fact);
	const memories = projectDir && attempt(log, listMemories, { name: "the list of memories", isSpent });
	return {
		projectDir,
		transcriptPath,
		state,
		workspace: workspace || null,
		...(projectDir && { project: projectOf(projectDir).key }),
		...(memories && { memories }),
	};
}

type Task = NonNullable<NonNullable<Checkpoint["workspace"]>["task"]>;

/** The session's open task: its goal, where it stands and what comes next; `null` where none is open. */
function openTask({ paths }: Session): Task | null {
	const file = readState(paths.folder);
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
export function saveDue(
	place: CheckpointPlace,
	due: readonly Due[],
	{ note, keep, waitMs }: { note?: string | undefined; keep: number; waitMs: number },
): Checkpoint | null {
	const { session, now } = place;
	const main = mostImportant(due);
	if (!main) return null;
	const may = (): boolean => !isCovered(main.trigger, now, latestCheckpoint(session));
	const content = may() ? readContent(place) : null;
	if (!content) return null;
	const { type } = TRIGGERS[main.trigger];
	const isWave = due.some(({ trigger }) => trigger === "wave_complete");
	const before = readCycle(session);
	if (isWave) endWave(before, now);
	const { waves = [] } = before;
	const also = (cycle: Cycle, { key }: Checkpoint): void => {
		if (isWave) endWave(cycle, now);
		const wave = cycle.waves?.at(-1);
		if (isWave && wave) wave.key ??= key;
	};
	const whole = { ...content, ...main, type, waves, ...(note && { note }) };
	const saved = addCheckpoint(session, now, whole, { also, may, waitMs });
	if (saved && type !== "manual") thinOut(session, keep);
	return saved;
}

const MAX_WAVES = 20;

/** Adds a wave to the cycle: the subagents that ended since the last wave. */
function endWave(cycle: Cycle, now: Date): void {
	const { agents = [], waves = [] } = cycle;
	if (agents.length === 0) return;
	const number = (waves.at(-1)?.number ?? 0) + 1;
	const wave = { number, endedAt: now.toISOString(), agents: agents.map(({ type, said }) => ({ type, said })) };
	cycle.waves = [...waves, wave].slice(-MAX_WAVES);
	cycle.agents = [];
}

/** Deletes the checkpoints of waves, phases and time but for the newest `keep`: a long session would fill the disk. */
function thinOut(session: Session, keep: number): void {
	const own = storedCheckpoints(session, { sid: session.id }).filter(({ key }) => /^(?:wave|phase|time)_/.test(key));
	for (const { key } of own.slice(keep)) deleteCheckpoint(session, key);
}
