import { isoStamp, trimEndSigns } from "../text/text.ts";
import { isObject } from "../transcript/decode.ts";

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

/** The names of the texts in an entry of each list: the first text is required, the others may be empty. */
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
/** All lists of a task's state, empty. */
const emptyLists = () =>
	Object.fromEntries([...ENTRY_LISTS, ...PLAIN_LISTS].map((name) => [name, []])) as unknown as Pick<
		TaskState,
		EntryList | (typeof PLAIN_LISTS)[number]
	>;

/** The first state of a task that begins at `at`. */
export function initialState({
	at,
	...first
}: Pick<TaskState, "task_id" | "session_id" | "goal"> & { at: string }): TaskState {
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
		...emptyLists(),
		created_at: at,
		updated_at: at,
		checkpoint_at: null,
	};
}

/** Whether `next_action` says that nothing is left to do. */
export const isDone = (state: TaskState): boolean =>
	["done", "complete", "finish"].includes(state.next_action.trim().toLowerCase());

/** The file of a task's state, as it was found on disk. */
export type StateFile =
	| { found: "absent" }
	| { found: "invalid"; problem: string }
	| { found: "legacy" }
	| { found: "present"; state: TaskState };

/** Reads a task's state from its file's JSON object: empty fields may be missing. Else it says what is wrong, or that the file is another tool's. */
export function parseTaskState(value: Record<string, unknown>): StateFile {
	if (isLegacyShape(value)) return { found: "legacy" };
	if (value.version !== 1)
		return { found: "invalid", problem: `written by a newer ccg (version ${value.version}, this one reads 1)` };
	const optional = { session_id: null, revision: 1, checkpoint_at: null, last_action: null, ...emptyLists() };
	const filled: Record<string, unknown> = { ...optional, ...value };
	const problems = Object.entries(FORM_CHECKS)
		.filter(([name, hasForm]) => !hasForm(filled[name]))
		.map(([name]) => `${name} is ${name in filled ? "of the wrong form" : "missing"}`);
	if (problems.length > 0) return { found: "invalid", problem: problems.join("; ") };
	return { found: "present", state: filled as unknown as TaskState };
}

/** Whether an object is no task state of any ccg: it has no whole version number, or only the field names that other tools use. */
function isLegacyShape(value: Record<string, unknown>): boolean {
	if (!Number.isInteger(value.version) || (value.version as number) < 1) return true;
	return !("current_phase" in value) && FOREIGN_NAMES.some((name) => name in value);
}

const FOREIGN_NAMES = ["phase", "touched_files", "relevant_artifacts", "last_successful_action", "currentPhase"];

/** Whether a value has the form that a field of a task's state needs. */
type FormCheck = (value: unknown) => boolean;
const isText: FormCheck = (value) => typeof value === "string";
const hasTexts =
	(...names: string[]): FormCheck =>
	(value) =>
		isObject(value) && names.every((name) => isText(value[name]));
const listOf =
	(isItem: FormCheck): FormCheck =>
	(value) =>
		Array.isArray(value) && value.every(isItem);
/** The form of each field. `goal` and `next_action` may be empty: the startup branch has a rule of its own. */
const FORM_CHECKS: Record<string, FormCheck> = {
	task_id: isText,
	goal: isText,
	current_phase: isText,
	next_action: isText,
	created_at: isText,
	updated_at: isText,
	status: (value) => ["initialising", "active", "blocked", "complete"].includes(value as string),
	revision: Number.isInteger,
	last_action: (value) => value === null || hasTexts("summary", "outcome")(value),
	...Object.fromEntries(PLAIN_LISTS.map((name) => [name, listOf(isText)])),
	...Object.fromEntries(
		ENTRY_LISTS.map((name) => [name, listOf(hasTexts(...ENTRIES[name].filter((text) => text !== "note")))]),
	),
};

/** What `ccg task bundle` prints: what an agent has to know before a major action. `last_successful_action` is `null` before the first. */
export function workingBundle(state: TaskState) {
	return {
		goal: state.goal,
		phase: state.current_phase,
		next_action: state.next_action,
		last_successful_action: state.last_action && (state.last_action.summary || state.last_action.outcome || null),
		constraints: state.constraints,
		relevant_artifacts: [...new Set([...state.artifacts.map(({ path }) => path), ...fileNamesIn(state.next_action)])],
	};
}

/** The words of a text that may be file names: with a slash or an ending such as `.ts`. Web addresses, with their colon, are left out. */
function fileNamesIn(text: string): string[] {
	const words = text.split(/[\s"'`<>()[\]{},;]+/).map((word) => trimEndSigns(word, ".:!?"));
	return words.filter(
		(word) => /^[\w@.~/-]+$/.test(word) && (word.includes("/") || /^[\w-][\w.-]*\.[a-z]\w{0,5}$/i.test(word)),
	);
}

/** A task's state in four fields, for lists, or the problem with its file; `null` without a file. */
export function taskOutline(file: StateFile) {
	if (file.found === "absent") return null;
	if (file.found === "legacy") return { problem: "of another tool or an older shape" };
	if (file.found === "invalid") return { problem: file.problem };
	const { goal, next_action, status, revision } = file.state;
	return { goal, next_action, status, revision };
}

/** A time as `20260131-235959`, in UTC, so that names sort by time. */
export const taskStamp = (at: Date): string => isoStamp(at, "-");

/** The id of a new task: when it began, and four random letters, as two may begin in one second. */
export const newTaskId = (now: Date): string => `task-${taskStamp(now)}-${Math.random().toString(36).slice(2, 6)}`;
