import type { SessionState } from "../state/session-state.ts";
import type { CheckpointType } from "./checkpoint-key.ts";

/**
 * The triggers of checkpoints, by the names that checkpoints bear, with priorities and delays as the document of the agent gives them:
 * seconds that may pass from the event to the checkpoint, `null` where any moment will do. A compaction's own is named as Claude
 * Code names it (`manual`, `auto`).
 */
export const TRIGGERS = {
	precompact: { type: "precompact", priority: "critical", mostSeconds: 0 },
	// once a cycle, when the use of the context passes the share or an idle session may be compacted
	high_token_usage: { type: "precompact", priority: "critical", mostSeconds: 0 },
	restore_request: { type: "manual", priority: "critical", mostSeconds: 0 },
	manual_request: { type: "manual", priority: "high", mostSeconds: 60 },
	wave_complete: { type: "wave", priority: "high", mostSeconds: 60 },
	phase_transition: { type: "phase", priority: "medium", mostSeconds: 300 },
	time_based: { type: "time", priority: "low", mostSeconds: null },
} satisfies Record<string, { type: CheckpointType; priority: string; mostSeconds: number | null }>;

type TriggerName = keyof typeof TRIGGERS;

/** A reason to take a checkpoint now: its trigger, and the reason in words. */
export interface DueTrigger {
	trigger: TriggerName;
	reason: string;
}

export const HIGH_USE_TRIGGER: DueTrigger = { trigger: "high_token_usage", reason: "much of the context is in use" };

/** Joins several due triggers to one: the most important trigger, with all their reasons; `null` where none is due. */
export function mergeDueTriggers(due: readonly DueTrigger[]): DueTrigger | null {
	const [first, ...others] = due.toSorted((a, b) => triggerRank(b.trigger) - triggerRank(a.trigger));
	if (!first) return null;
	return { trigger: first.trigger, reason: [first, ...others].map(({ reason }) => reason).join("; ") };
}

/** How important a trigger is, as a number. One that is not in the table is a compaction's own, and critical. */
const triggerRank = (trigger: string): number =>
	["low", "medium", "high", "critical"].indexOf(TRIGGERS[trigger as TriggerName]?.priority ?? "critical");

/** Checkpoints this near to each other in time count as one moment's. */
const SAME_MOMENT_MS = 5_000;

/** Whether the `last` checkpoint was saved just now and is as important, so that none has to be saved for the trigger `asked`. */
export function isCovered(asked: TriggerName, now: Date, last: { trigger: string; at: string } | null): boolean {
	if (!last || asked === "precompact" || asked === "manual_request" || asked === "restore_request") return false;
	// (where the clock was set back, the age is negative)
	const isSameMoment = Math.abs(now.getTime() - Date.parse(last.at)) <= SAME_MOMENT_MS;
	return isSameMoment && triggerRank(last.trigger) >= triggerRank(asked);
}

/** How far a session was searched for changes of phase: the last change's place in the transcript, and the branch. */
export interface PhaseLook {
	pos: number;
	branch: string;
}

/** At a session's first look only changes newer than this count: a resumed session brings its old commits along. */
const FIRST_LOOK_MS = 60 * 60_000;

/** Finds the changes of phase since the last look: a plan approved, a task list finished, a commit, another branch. Gives them in words. */
export function phaseChanges(
	state: SessionState,
	lastLook: PhaseLook | undefined,
	now: Date,
): { reasons: string[]; seen: PhaseLook } {
	const { decisions, commits, branch } = state;
	const commit = commits.at(-1);
	const changes: [reason: string, change: Change | undefined][] = [
		["plan approved", decisions.findLast(({ kind }) => kind === "plan approved")],
		["task list finished", lastTaskDone(state)],
		[`commit ${commit?.hash.slice(0, 12)} made`, commit],
	];
	const since = now.getTime() - FIRST_LOOK_MS;
	const isFresh = ({ at, pos = 0 }: Change): boolean => (lastLook ? pos > lastLook.pos : Date.parse(at) > since);
	const reasons = changes.flatMap(([reason, change]) => (change && isFresh(change) ? [reason] : []));
	if (lastLook?.branch && branch && branch !== lastLook.branch)
		reasons.push(`branch changed from ${lastLook.branch} to ${branch}`);
	const pos = Math.max(lastLook?.pos ?? 0, ...changes.map(([, change]) => change?.pos ?? 0));
	return { reasons, seen: { pos, branch: branch || lastLook?.branch || "" } };
}

/** The place of a change in the transcript, and its ISO time. */
type Change = { at: string; pos?: number };

/** The last change of a done task where all tasks are done; `undefined` while a task is open or none was ever done. */
function lastTaskDone({ tasks }: SessionState): Change | undefined {
	const done = tasks.filter(({ status }) => status === "completed");
	if (tasks.some(({ status }) => status !== "completed" && status !== "cancelled")) return undefined;
	const last = done.toSorted((a, b) => (a.changed ?? 0) - (b.changed ?? 0)).at(-1);
	return last && { at: last.changedAt ?? "", pos: last.changed ?? 0 };
}
