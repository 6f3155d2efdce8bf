import type { SessionState } from "../../state/session-state.ts";

/** How far a session's events were looked at for what makes a checkpoint. Times are ISO 8601 or `""`. */
export interface Seen {
	planAt: string;
	tasksAt: string;
	commitAt: string;
	branch: string;
}

/** Before a session's first look only what is newer than this counts: a resumed session brings its old commits along. */
const FIRST_LOOK_MS = 60 * 60_000;

export function firstLook(now: Date): Seen {
	const at = new Date(now.getTime() - FIRST_LOOK_MS).toISOString();
	return { planAt: at, tasksAt: at, commitAt: at, branch: "" };
}

/** What passed from one phase to the next since the last look, in words, and the look of now. */
export function phaseChanges(state: SessionState, before: Seen): { reasons: string[]; seen: Seen } {
	const plan = state.decisions.findLast(({ kind }) => kind === "plan approved");
	const tasks = finishedAt(state);
	const commit = state.commits.at(-1);
	const reasons: string[] = [];
	const isNewer = (at: string | undefined, than: string): at is string => at !== undefined && at > than;
	if (isNewer(plan?.at, before.planAt)) reasons.push("plan approved");
	if (isNewer(tasks, before.tasksAt)) reasons.push("task list finished");
	if (before.branch && state.branch && state.branch !== before.branch)
		reasons.push(`branch changed from ${before.branch} to ${state.branch}`);
	if (isNewer(commit?.at, before.commitAt)) reasons.push(`commit ${commit!.hash.slice(0, 12)} made`);
	return {
		reasons,
		seen: {
			planAt: later(plan?.at, before.planAt),
			tasksAt: later(tasks, before.tasksAt),
			commitAt: later(commit?.at, before.commitAt),
			branch: state.branch || before.branch,
		},
	};
}

const later = (at: string | undefined, than: string): string => (at !== undefined && at > than ? at : than);

/** When the last open task was done; `undefined` while one is open or none was ever done. */
function finishedAt({ tasks }: SessionState): string | undefined {
	const over = tasks.filter(({ status }) => status === "completed" || status === "cancelled");
	if (over.length === 0 || over.length < tasks.length) return undefined;
	const done = over.filter(({ status }) => status === "completed").map(({ changedAt }) => changedAt ?? "");
	return done.sort().at(-1);
}
