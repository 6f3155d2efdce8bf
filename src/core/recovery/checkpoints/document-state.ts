import type { SessionState } from "../../state/session-state.ts";
import { cut, oneLine } from "../../text/text.ts";
import type { Checkpoint } from "../checkpoint.ts";
import { keyParts } from "../checkpoint-key.ts";
import { requestOf } from "../said-items.ts";
import { phaseOf, progressOf } from "./active-phase.ts";

/**
 * A checkpoint in the fields of the agent's document (docs/checkpoints.md): one record in snake_case. `null` or `"unknown"` where
 * nothing tells; why is in `missing`.
 */
export interface DocumentState {
	fields: Record<string, unknown>;
	missing: Missing[];
	/** Percent of the fields that can be known. */
	coverage: number;
}

export interface Missing {
	key: string;
	reason: string;
}

/** What Claude Code tells nobody: listed, and not counted. */
const UNTOLD: Record<string, string> = {
	total_waves: "nothing tells how many waves are planned",
	pending_waves: "nothing tells which waves are planned",
	mcps_active: "calls are kept by what they did, not by their server",
	personas_active: "Claude Code has no personas",
	technical_debt: "nothing records it",
};

const FILES = 20;

export function documentState(checkpoint: Checkpoint): DocumentState {
	const { key, at, trigger, session, projectDir, project, state, workspace, memories, waves = [] } = checkpoint;
	const tasks = (status: string): string[] =>
		state.tasks.filter((one) => one.status === status).map(({ subject }) => subject);
	const tests = state.checks.findLast(({ kind }) => kind === "test");
	const agents = Object.values(state.open).filter(({ tool }) => tool === "Agent" || tool === "Task");
	const fields: Record<string, unknown> = {
		checkpoint_timestamp: at,
		checkpoint_type: typeOf(checkpoint),
		checkpoint_trigger: checkpoint.reason ?? trigger,
		session_id: session,
		project_id: project ?? (projectDir || null),
		project_name: projectDir.split("/").at(-1) || null,
		active_phase: phaseOf(checkpoint),
		phase_progress: progressOf(state),
		current_wave: agents.length > 0 ? (waves.at(-1)?.number ?? 0) + 1 : null,
		total_waves: null,
		memory_keys: memories?.map(memoryName) ?? null,
		memory_categories: memories ? memoryCategories(memories.map(memoryName), checkpoint) : null,
		current_focus: short(requestOf(state)?.text),
		in_progress_files: state.files
			.filter(({ edits }) => edits > 0)
			.map(({ path }) => path)
			.slice(-FILES),
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
		tools_active: toolsOf(state),
		personas_active: null,
		modes_active: state.plan && !state.plan.approved ? ["plan"] : [],
		validation_status: state.checks.slice(-5).map(({ kind, command, result }) => ({ kind, command, result })),
		tests_passing: tests && tests.result !== "unknown" ? tests.result === "worked" : "unknown",
		known_issues: state.failures.filter(({ resolved }) => !resolved).map(({ subject }) => subject),
		technical_debt: null,
		next_action: nextAction(checkpoint),
		continuation_context: short(state.prose.at(-1)?.text || state.lastSaid),
		restoration_instructions: `ccg checkpoint restore ${key}`,
	};
	return { fields, ...coverageOf(fields) };
}

export const typeOf = ({ type, key }: Checkpoint): string => type ?? keyParts(key)?.type ?? "precompact";

/** What comes next, by the surest source there is: the task's state, the task list, an open question, the request. */
export function nextAction({ state, workspace }: Checkpoint): string | null {
	const of = (status: string) => state.tasks.find((one) => one.status === status)?.subject;
	const told = workspace?.task?.nextAction || of("in_progress") || of("pending");
	if (told) return told;
	const question = state.questions.at(-1)?.text;
	if (question) return `answer the open question: ${short(question)}`;
	const request = short(requestOf(state)?.text);
	return request && `go on with the request: ${request}`;
}

export const memoryName = ({ category, key }: { category: string; key: string }): string => `${category}/${key}`;

/** By the names the document looks for; the checkpoints of this session stand beside them. */
function memoryCategories(names: readonly string[], { key }: Checkpoint): Record<string, string[]> {
	const holding = (...words: string[]): string[] =>
		names.filter((name) => words.some((word) => name.toLowerCase().includes(word)));
	return {
		analysis: holding("spec_analysis", "complexity"),
		planning: holding("phase_plan", "wave_plan"),
		execution: holding("wave_").filter((name) => name.toLowerCase().includes("complete")),
		decisions: holding("decision", "context"),
		checkpoints: [...holding("checkpoint"), key],
	};
}

function decisionsOf({ state, workspace }: Checkpoint): object[] {
	const kept = workspace?.task?.decisions ?? [];
	return [
		...kept.map(({ decision, reason, at }) => ({ decision, rationale: reason, timestamp: at, impact: null })),
		...state.decisions.map(({ kind, subject, words, at }) => ({
			decision: `${kind}: ${cut(oneLine(subject), 200)}`,
			rationale: words || null,
			timestamp: at,
			impact: null,
		})),
	];
}

/** By what their calls left behind. */
function toolsOf(state: SessionState): string[] {
	const used: [string, boolean][] = [
		["Edit", state.files.some(({ edits }) => edits > 0)],
		["Read", state.files.some(({ reads }) => reads > 0)],
		["Bash", state.commands.length > 0],
		["Grep", state.searches.length > 0],
		["Agent", state.backgroundTasks.some(({ kind }) => kind === "agent")],
	];
	return used.flatMap(([name, is]) => (is ? [name] : []));
}

const SHORT = 600;

const short = (text: string | undefined): string | null => (text ? cut(oneLine(text), SHORT) : null);

/** Why a field that can be known is not. A list that is empty says that there is none, and is known. */
const UNKNOWN: Record<string, string> = {
	checkpoint_timestamp: "the file names no time",
	checkpoint_type: "the key names no type",
	checkpoint_trigger: "nothing names what asked for it",
	session_id: "the file names no session",
	project_id: "no folder of the session was there",
	project_name: "no folder of the session was there",
	active_phase: "no task state names a phase, and neither plan nor edits show one",
	phase_progress: "there is no task list",
	memory_keys: "the memories were not listed: an earlier version of ccg, or no time for it",
	memory_categories: "the memories were not listed: an earlier version of ccg, or no time for it",
	current_focus: "no message of the user was read",
	tests_passing: "no test was seen to end",
	next_action: "neither a task nor a message of the user was read",
	continuation_context: "the agent has said nothing",
};

/** No wave runs: that is known. */
const MAY_BE_NONE = new Set(["current_wave", "active_wave"]);

function coverageOf(fields: Record<string, unknown>): Pick<DocumentState, "missing" | "coverage"> {
	const isKnown = (name: string): boolean => {
		const value = fields[name];
		return (value !== null && value !== "" && value !== "unknown") || MAY_BE_NONE.has(name);
	};
	const names = Object.keys(fields);
	const counted = names.filter((name) => !Object.hasOwn(UNTOLD, name));
	const unknown = counted.filter((name) => !isKnown(name));
	return {
		missing: [
			...unknown.map((name) => ({ key: name, reason: UNKNOWN[name] ?? "nothing tells it" })),
			...Object.entries(UNTOLD).map(([key, reason]) => ({ key, reason })),
		],
		coverage: Math.round(((counted.length - unknown.length) / counted.length) * 100),
	};
}
