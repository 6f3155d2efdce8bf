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
	/** No call is under way, as at a compaction: one without a result in the transcript has ended as well. */
	isSettled?: boolean;
	/** Whether the time for what the rest can do without is over. */
	isSpent?: () => boolean;
	log(reason: unknown): void;
}

/** What a checkpoint of now would hold; `null`, and why is told, where the transcript can't be read: the workspace alone is no session. */
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
	const listed = () => memoryInventory(session.root, claudeRoot, projectDir).map(({ path: _, ...fact }) => fact);
	const memories = projectDir && attempt(log, listed, { name: "the list of memories", isSpent });
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

/** What the session's task is for, where it stands and what comes next; `null` where none is open. */
function openTask({ paths }: Session): Task | null {
	const file = readState(paths.folder);
	if (file.found !== "present" || file.state.status === "complete" || !file.state.goal) return null;
	const { goal, next_action: nextAction, current_phase: phase, blockers, decisions } = file.state;
	const made = decisions.slice(-MAX_ENTRIES).map(({ decision, reason, at = "" }) => ({ decision, reason, at }));
	return safeDeep({
		goal,
		nextAction,
		...(phase && { phase }),
		blockers: blockers.slice(-MAX_ENTRIES),
		decisions: made,
	}) as Task;
}

const MAX_ENTRIES = 20;

/**
 * Takes one checkpoint for everything that asks for one now. `null` when nothing does, when one of this moment does for it, or when
 * there is nothing to save. `note`: what the user wrote to it; `keep`: how many that came by themselves a session has; `waitMs`: how
 * long another writer is waited for. Throws why the store can't be written.
 */
export function saveDue(
	place: CheckpointPlace,
	due: readonly Due[],
	{ note, keep, waitMs }: { note?: string | undefined; keep: number; waitMs: number },
): Checkpoint | null {
	const { session, now } = place;
	const most = mostImportant(due);
	if (!most) return null;
	const may = (): boolean => !isCovered(most.trigger, now, latestCheckpoint(session));
	const content = may() ? readContent(place) : null;
	if (!content) return null;
	const { type } = TRIGGERS[most.trigger];
	const isWave = due.some(({ trigger }) => trigger === "wave_complete");
	const before = readCycle(session);
	if (isWave) endWave(before, now);
	const { waves = [] } = before;
	const also = (cycle: Cycle, { key }: Checkpoint): void => {
		if (isWave) endWave(cycle, now);
		const wave = cycle.waves?.at(-1);
		if (isWave && wave) wave.key ??= key;
	};
	const whole = { ...content, ...most, type, waves, ...(note && { note }) };
	const saved = addCheckpoint(session, now, whole, { also, may, waitMs });
	if (saved && type !== "manual") thinOut(session, keep);
	return saved;
}

const MAX_WAVES = 20;

/** The subagents that ended are a wave now. */
function endWave(cycle: Cycle, now: Date): void {
	const { agents = [], waves = [] } = cycle;
	if (agents.length === 0) return;
	const number = (waves.at(-1)?.number ?? 0) + 1;
	const wave = { number, endedAt: now.toISOString(), agents: agents.map(({ type, said }) => ({ type, said })) };
	cycle.waves = [...waves, wave].slice(-MAX_WAVES);
	cycle.agents = [];
}

/** Those of waves, phases and time beyond the newest: a long session would fill the disk. */
function thinOut(session: Session, keep: number): void {
	const own = storedCheckpoints(session, { sid: session.id }).filter(({ key }) => /^(?:wave|phase|time)_/.test(key));
	for (const { key } of own.slice(keep)) deleteCheckpoint(session, key);
}
