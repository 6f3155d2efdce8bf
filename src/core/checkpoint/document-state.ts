import { decisionsWithoutPermissions, isShellLine, type Message, type SessionState } from "../state/session-state.ts";
import { oneLine, truncate } from "../text/text.ts";
import type { Checkpoint } from "./checkpoint.ts";

const MAX_FILES = 20;

/** A checkpoint in the fields of its JSON document, in their order; `null` or `"unknown"` where ccg does not know the value. */
export function documentState(checkpoint: Checkpoint) {
	const { key, at, trigger, reason, session, projectDir, project, state, workspace, memories, waves = [] } = checkpoint;
	const tasks = (status: string): string[] =>
		state.tasks.filter((one) => one.status === status).map(({ subject }) => subject);
	const agents = Object.values(state.open).filter(({ tool }) => tool === "Agent" || tool === "Task");
	const edited = state.files.filter(({ edits }) => edits > 0).map(({ path }) => path);
	const names = memories?.map(memoryName);
	return {
		checkpoint_timestamp: at,
		checkpoint_type: checkpointType(checkpoint),
		checkpoint_trigger: reason ?? trigger,
		session_id: session,
		project_id: project ?? (projectDir || null),
		project_name: projectDir.split("/").at(-1) || null,
		active_phase: phaseOf(checkpoint),
		phase_progress: progressOf(state),
		current_wave: agents.length > 0 ? (waves.at(-1)?.number ?? 0) + 1 : null,
		total_waves: null,
		memory_keys: names ?? null,
		memory_categories: names ? memoryCategories(names, key) : null,
		current_focus: shortText(lastRequest(state)?.text),
		in_progress_files: edited.slice(-MAX_FILES),
		in_progress_tasks: tasks("in_progress"),
		pending_tasks: tasks("pending"),
		blocked_tasks: workspace?.task?.blockers ?? [],
		completed_waves: waves.map(({ number, agents: used, key: result }) => ({
			wave_number: number,
			wave_name: `wave ${number}`,
			status: "complete",
			agents_used: used.map(({ type }) => type),
			results_memory_key: result ?? key,
		})),
		active_wave: agents.length > 0 ? { agents: agents.map(({ subject }) => subject) } : null,
		pending_waves: null,
		key_decisions: decisionsOf(checkpoint),
		mcps_active: null,
		tools_active: [...new Set(Object.values(state.open).map(({ tool }) => tool))],
		personas_active: null,
		modes_active: state.plan && !state.plan.approved ? ["plan"] : [],
		validation_status: null,
		tests_passing: "unknown" as const,
		known_issues: state.failures.filter(({ resolved }) => !resolved).map(({ subject }) => subject),
		technical_debt: null,
		next_action: nextAction(checkpoint),
		continuation_context: shortText(state.prose.at(-1)?.text),
		restoration_instructions: `ccg checkpoint restore ${key}`,
	};
}

/** Parts of the names of fields that are unknown in most checkpoints: Claude Code tells nobody, or it is the wave that runs. */
const MAY_BE_NULL = "wave mcps_active personas_active technical_debt validation_status tests_passing".split(" ");

/** The names of fields that could be known and are not, and the percentage of those that are known. */
export function coverageOf(fields: object): { missing: string[]; percent: number } {
	const counted = Object.entries(fields).filter(([name]) => !MAY_BE_NULL.some((part) => name.includes(part)));
	const missing = counted.flatMap(([name, value]) => (value === null || value === "unknown" ? [name] : []));
	return { missing, percent: Math.round((1 - missing.length / counted.length) * 100) };
}

/** A checkpoint's type; an old one names it in its key alone. */
export const checkpointType = ({ type, key }: Pick<Checkpoint, "type" | "key">): string =>
	type ?? (key.split("_")[0] || "precompact");
/** A memory's name in the document. */
export const memoryName = ({ category, key }: { category: string; key: string }): string => `${category}/${key}`;

/** Sorts the names of memories into the document's categories; this checkpoint's key is added to its own. */
function memoryCategories(names: readonly string[], key: string): Record<string, string[]> {
	const namesWith = (...words: string[]): string[] =>
		names.filter((name) => words.some((word) => name.toLowerCase().includes(word)));
	return {
		analysis: namesWith("spec_analysis", "complexity"),
		planning: namesWith("phase_plan", "wave_plan"),
		execution: namesWith("wave_").filter((name) => namesWith("complete").includes(name)),
		decisions: namesWith("decision", "context"),
		checkpoints: [...namesWith("checkpoint"), key],
	};
}

/** The decisions of the task, then those of the user, in the document's form. */
function decisionsOf({ state, workspace }: Checkpoint) {
	const taskDecisions = (workspace?.task?.decisions ?? []).map(({ decision, reason: rationale, at }) => ({
		...{ decision, rationale, timestamp: at, impact: null },
	}));
	const usersDecisions = decisionsWithoutPermissions(state).map(({ kind, subject, words, at }) => ({
		decision: `${kind}: ${truncate(oneLine(subject), 200)}`,
		...{ rationale: words || null, timestamp: at, impact: null },
	}));
	return [...taskDecisions, ...usersDecisions];
}

/** The phase that the task's state names, else `planning` while a plan is not approved, else `unknown`. */
const phaseOf = ({ state: { plan }, workspace }: Checkpoint): string =>
	workspace?.task?.phase || (plan && !plan.approved ? "planning" : "unknown");

/** The percentage of tasks that are completed, without cancelled ones; `null` without tasks. */
function progressOf({ tasks }: SessionState): number | null {
	const counted = tasks.filter(({ status }) => status !== "cancelled");
	const done = counted.filter(({ status }) => status === "completed");
	return counted.length === 0 ? null : Math.round((done.length / counted.length) * 100);
}

/** The user's last message; a shell line typed with `!` does not count, as it asks the model nothing. */
export const lastRequest = ({ messages }: Pick<SessionState, "messages">): Message | null =>
	messages.findLast((message) => !isShellLine(message)) ?? null;

/** Whether a text has more than a few words: "yes", "2", "go on" and "B please" say nothing without the question that they answer. */
export const isSubstantial = (text: string): boolean =>
	(text.match(/[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]{2}|[\p{L}\p{N}][\p{L}\p{N}'’._/-]*/gu) ?? [])
		.length > FEW_WORDS;
const FEW_WORDS = 5;

/** The next step: as the task's state says it, else the first task in progress, else the first pending one, else `null`. */
export function nextAction({ state, workspace }: Pick<Checkpoint, "state" | "workspace">): string | null {
	const firstTask = (status: string) => state.tasks.find((one) => one.status === status)?.subject;
	return workspace?.task?.nextAction || firstTask("in_progress") || firstTask("pending") || null;
}

const MAX_SHORT_CHARS = 600;
/** A text on one line, cut; `null` for none. */
const shortText = (text: string | undefined): string | null => (text ? truncate(oneLine(text), MAX_SHORT_CHARS) : null);
