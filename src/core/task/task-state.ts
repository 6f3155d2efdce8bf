/**
 * The durable task state: what a task is, where it stands and what comes next, in fields that outlive a context window.
 * In what an agent writes `phase` is `current_phase`, `touched_files` are the paths of `artifacts`, and
 * `last_successful_action` is `last_action`.
 */
export interface TaskState {
	/** Of the file's format. */
	version: 1;
	task_id: string;
	/** The session that began the task, where one is known. */
	session_id: string | null;
	/** Counts the writes; a summary names the revision it was made from. */
	revision: number;
	/** `initialising` until the first summary stands; `blocked` while there are blockers. */
	status: TaskStatus;
	goal: string;
	current_phase: string;
	next_action: string;
	/** The last action that worked; failures are in `failed_attempts`. */
	last_action: { summary: string; outcome: string; at: string } | null;
	completed_steps: { step: string; at: string }[];
	failed_attempts: { attempt: string; reason: string; at: string }[];
	decisions: { decision: string; reason: string; at: string }[];
	artifacts: { path: string; note: string }[];
	tool_outputs: { output: string; at: string }[];
	blockers: string[];
	invariants: string[];
	constraints: string[];
	created_at: string;
	updated_at: string;
	/** When the last checkpoint was written; `null` in a task's first turn. */
	checkpoint_at: string | null;
}

export type TaskStatus = "initialising" | "active" | "blocked" | "complete";

/** The first state of a task. */
export function initialState(first: {
	task_id: string;
	session_id: string | null;
	goal: string;
	at: string;
}): TaskState {
	return {
		version: 1,
		task_id: first.task_id,
		session_id: first.session_id,
		revision: 1,
		status: "initialising",
		goal: first.goal,
		current_phase: "start",
		next_action: "START",
		last_action: null,
		completed_steps: [],
		failed_attempts: [],
		decisions: [],
		artifacts: [],
		tool_outputs: [],
		blockers: [],
		invariants: [],
		constraints: [],
		created_at: first.at,
		updated_at: first.at,
		checkpoint_at: null,
	};
}

/** `next_action` says that nothing is left to do. */
export const isDone = (state: Pick<TaskState, "next_action">): boolean =>
	/^(done|complete|finish)$/i.test(state.next_action.trim());

/**
 * A JSON object that is no task state of any version of ccg: without a whole version number, or with the names other
 * tools use and none of ours. It is not read and not overwritten.
 */
export function isLegacyShape(value: Record<string, unknown>): boolean {
	if (!Number.isInteger(value.version) || (value.version as number) < 1) return true;
	return !("current_phase" in value) && FOREIGN_NAMES.some((name) => name in value);
}

const FOREIGN_NAMES = ["phase", "touched_files", "relevant_artifacts", "last_successful_action", "currentPhase"];

/** The state in a JSON object, with every list there; or the fields that are missing or of the wrong type. */
export function checkedState(value: Record<string, unknown>): { state: TaskState } | { problems: string[] } {
	const problems: string[] = [];
	for (const [name, is] of Object.entries(REQUIRED))
		if (!(name in value) || value[name] === undefined) problems.push(`${name} is missing`);
		else if (!is(value[name])) problems.push(`${name} is of the wrong type`);
	const lists: Record<string, unknown> = {};
	for (const [name, is] of Object.entries(LISTS)) {
		// a person who edits the file may leave out what is empty
		const list = value[name] ?? [];
		if (!Array.isArray(list)) problems.push(`${name} is no list`);
		else if (!list.every(is)) problems.push(`${name} has an entry of the wrong shape`);
		lists[name] = list;
	}
	const last = value.last_action ?? null;
	if (last !== null && !hasTexts(last, ["summary", "outcome"])) problems.push("last_action needs summary and outcome");
	if (!Number.isInteger(value.revision ?? 1)) problems.push("revision is no whole number");
	if (problems.length > 0) return { problems };
	const usual = { session_id: null, revision: 1, checkpoint_at: null };
	return { state: { ...usual, ...value, ...lists, last_action: last } as unknown as TaskState };
}

const isText = (value: unknown): value is string => typeof value === "string";
const isStatus = (value: unknown): boolean =>
	["initialising", "active", "blocked", "complete"].includes(value as string);

/** Present and of this type; `goal` and `next_action` may be empty texts (the startup branch has a rule of its own). */
const REQUIRED: Record<string, (value: unknown) => boolean> = {
	task_id: isText,
	goal: isText,
	status: isStatus,
	current_phase: isText,
	next_action: isText,
	created_at: isText,
	updated_at: isText,
};

const LISTS: Record<string, (value: unknown) => boolean> = {
	completed_steps: (value) => hasTexts(value, ["step"]),
	failed_attempts: (value) => hasTexts(value, ["attempt", "reason"]),
	decisions: (value) => hasTexts(value, ["decision", "reason"]),
	artifacts: (value) => hasTexts(value, ["path"]),
	tool_outputs: (value) => hasTexts(value, ["output"]),
	blockers: isText,
	invariants: isText,
	constraints: isText,
};

function hasTexts(value: unknown, names: string[]): boolean {
	return (
		value !== null &&
		typeof value === "object" &&
		names.every((name) => isText((value as Record<string, unknown>)[name]))
	);
}
