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
	status: "initialising" | "active" | "blocked" | "complete";
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

/** The texts of an entry of each list: the first is its own, the others may be empty. */
export const ENTRIES = {
	completed_steps: ["step"],
	failed_attempts: ["attempt", "reason"],
	decisions: ["decision", "reason"],
	artifacts: ["path", "note"],
	tool_outputs: ["output"],
} as const;
export type EntryList = keyof typeof ENTRIES;
export const ENTRY_LISTS = Object.keys(ENTRIES) as EntryList[];
/** Lists of bare texts. */
export const PLAIN_LISTS = ["blockers", "invariants", "constraints"] as const;

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

/** The state in a JSON object, with every list there; or the fields that are missing or of the wrong form. */
export function checkedState(value: Record<string, unknown>): { state: TaskState } | { problems: string[] } {
	// a person who edits the file may leave out what is empty
	const lists = Object.fromEntries([...PLAIN_LISTS, ...ENTRY_LISTS].map((name) => [name, []]));
	const filled = { session_id: null, revision: 1, checkpoint_at: null, last_action: null, ...lists, ...value };
	const wrong = Object.entries(FORMS).filter(([name, fits]) => !fits((filled as Record<string, unknown>)[name]));
	if (wrong.length === 0) return { state: filled as unknown as TaskState };
	return { problems: wrong.map(([name]) => `${name} is ${name in filled ? "of the wrong form" : "missing"}`) };
}

type Fits = (value: unknown) => boolean;
const isText = (value: unknown): value is string => typeof value === "string";
const hasTexts =
	(names: readonly string[]): Fits =>
	(value) =>
		value !== null &&
		typeof value === "object" &&
		names.every((name) => isText((value as Record<string, unknown>)[name]));
const listOf =
	(fits: Fits): Fits =>
	(value) =>
		Array.isArray(value) && value.every(fits);

/** `goal` and `next_action` may be empty: the startup branch has a rule of its own. */
const FORMS: Record<string, Fits> = {
	...Object.fromEntries(
		["task_id", "goal", "current_phase", "next_action", "created_at", "updated_at"].map((name) => [name, isText]),
	),
	status: (value) => ["initialising", "active", "blocked", "complete"].includes(value as string),
	revision: Number.isInteger,
	last_action: (value) => value === null || hasTexts(["summary", "outcome"])(value),
	...Object.fromEntries(PLAIN_LISTS.map((name) => [name, listOf(isText)])),
	...Object.fromEntries(
		ENTRY_LISTS.map((name) => [name, listOf(hasTexts(ENTRIES[name].filter((text) => text !== "note")))]),
	),
};

/** What a major action needs to know, with exactly these fields. */
interface WorkingBundle {
	goal: string;
	phase: string;
	next_action: string;
	/** `null` when nothing was done yet: missing fields are not guessed. */
	last_successful_action: string | null;
	constraints: string[];
	relevant_artifacts: string[];
}

export function workingBundle(state: TaskState): WorkingBundle {
	return {
		goal: state.goal,
		phase: state.current_phase,
		next_action: state.next_action,
		last_successful_action: state.last_action && (state.last_action.summary || state.last_action.outcome || null),
		constraints: state.constraints,
		relevant_artifacts: [...new Set([...state.artifacts.map(({ path }) => path), ...pathsIn(state.next_action)])],
	};
}

/** Files that `next_action` names: words with a slash or a file's ending. Addresses have a colon, and are none. */
function pathsIn(text: string): string[] {
	const words = text.split(/[\s"'`<>()[\]{},;]+/).map(withoutStop);
	return words.filter(
		(word) => /^[\w@.~/-]+$/.test(word) && (word.includes("/") || /^[\w-][\w.-]*\.[a-z]\w{0,5}$/i.test(word)),
	);
}

function withoutStop(word: string): string {
	let end = word.length;
	while (end > 0 && ".:!?".includes(word[end - 1]!)) end--;
	return word.slice(0, end);
}
