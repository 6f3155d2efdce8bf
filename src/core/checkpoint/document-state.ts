import { type Message, type SessionState, spokenDecisions } from "../state/session-state.ts";
import { cut, oneLine } from "../text/text.ts";
import type { Checkpoint } from "./checkpoint.ts";
import { keyParts } from "./checkpoint-key.ts";

/**
 * A checkpoint in the fields of the agent's document (docs/guide.md): one record in snake_case. `null` or `"unknown"` where
 * nothing tells; why is in `missing`.
 */
export interface DocumentState {
	fields: Record<string, unknown>;
	missing: { key: string; reason: string }[];
	/** Percent of the fields that can be known. */
	coverage: number;
}

/** A field's value with why it is not known, where it is not. */
interface Field {
	value: unknown;
	reason: string;
	/** Claude Code tells it nobody: listed, and not counted. */
	isUntold?: true;
}

export function documentState(checkpoint: Checkpoint): DocumentState {
	const entries = Object.entries(fieldsOf(checkpoint));
	const isKnown = ([, { value }]: [string, Field]): boolean => value !== null && value !== "" && value !== "unknown";
	const counted = entries.filter(([, { isUntold }]) => !isUntold);
	const unknown = entries.filter((entry) => !isKnown(entry) && entry[1].reason);
	const known = counted.length - unknown.filter(([, { isUntold }]) => !isUntold).length;
	return {
		fields: Object.fromEntries(entries.map(([key, { value }]) => [key, value])),
		missing: unknown.map(([key, { reason }]) => ({ key, reason })),
		coverage: Math.round((known / counted.length) * 100),
	};
}

const told = (value: unknown, reason = "nothing tells it"): Field => ({ value, reason });
/** That there is none is known, as of an empty list. */
const maybe = (value: unknown): Field => ({ value, reason: "" });
const untold = (reason: string): Field => ({ value: null, reason, isUntold: true });

const NO_FOLDER = "no folder of the session was there";
const NO_MEMORIES = "the memories were not listed: there was no time for it";
const FILES = 20;

function fieldsOf(checkpoint: Checkpoint): Record<string, Field> {
	const { key, at, trigger, reason, session, projectDir, project, state, workspace, memories, waves = [] } = checkpoint;
	const tasks = (status: string): string[] =>
		state.tasks.filter((one) => one.status === status).map(({ subject }) => subject);
	const tests = state.checks.findLast(({ kind }) => kind === "test")?.result ?? "unknown";
	const agents = Object.values(state.open).filter(({ tool }) => tool === "Agent" || tool === "Task");
	const edited = state.files.filter(({ edits }) => edits > 0).map(({ path }) => path);
	const names = memories?.map(memoryName);
	return {
		checkpoint_timestamp: told(at),
		checkpoint_type: told(typeOf(checkpoint)),
		checkpoint_trigger: told(reason ?? trigger),
		session_id: told(session),
		project_id: told(project ?? (projectDir || null), NO_FOLDER),
		project_name: told(projectDir.split("/").at(-1) || null, NO_FOLDER),
		active_phase: told(phaseOf(checkpoint), "no task state names a phase, and neither plan nor edits show one"),
		phase_progress: told(progressOf(state), "there is no task list"),
		current_wave: maybe(agents.length > 0 ? (waves.at(-1)?.number ?? 0) + 1 : null),
		total_waves: untold("nothing tells how many waves are planned"),
		memory_keys: told(names ?? null, NO_MEMORIES),
		memory_categories: told(names ? memoryCategories(names, key) : null, NO_MEMORIES),
		current_focus: told(short(requestOf(state)?.text), "no message of the user was read"),
		in_progress_files: told(edited.slice(-FILES)),
		in_progress_tasks: told(tasks("in_progress")),
		pending_tasks: told(tasks("pending")),
		blocked_tasks: told(workspace?.task?.blockers ?? []),
		completed_waves: told(
			waves.map(({ number, agents: used, key: result }) => ({
				wave_number: number,
				wave_name: `wave ${number}`,
				status: "complete",
				agents_used: used.map(({ type }) => type),
				results_memory_key: result ?? key,
			})),
		),
		active_wave: maybe(agents.length > 0 ? { agents: agents.map(({ subject }) => subject) } : null),
		pending_waves: untold("nothing tells which waves are planned"),
		key_decisions: told(decisionsOf(checkpoint)),
		mcps_active: untold("calls are kept by what they did, not by their server"),
		tools_active: told(toolsOf(state)),
		personas_active: untold("Claude Code has no personas"),
		modes_active: told(state.plan && !state.plan.approved ? ["plan"] : []),
		validation_status: told(state.checks.slice(-5).map(({ kind, command, result }) => ({ kind, command, result }))),
		tests_passing: told(tests === "unknown" ? tests : tests === "worked", "no test was seen to end"),
		known_issues: told(state.failures.filter(({ resolved }) => !resolved).map(({ subject }) => subject)),
		technical_debt: untold("nothing records it"),
		next_action: told(nextAction(checkpoint), "neither a task nor a message of the user was read"),
		continuation_context: told(short(state.prose.at(-1)?.text || state.lastSaid), "the agent has said nothing"),
		restoration_instructions: told(`ccg checkpoint restore ${key}`),
	};
}

export const typeOf = ({ type, key }: Pick<Checkpoint, "type" | "key">): string =>
	type ?? keyParts(key)?.type ?? "precompact";

export const memoryName = ({ category, key }: { category: string; key: string }): string => `${category}/${key}`;

/** By the names the document looks for; the checkpoints of this session stand beside them. */
function memoryCategories(names: readonly string[], key: string): Record<string, string[]> {
	const holding = (words: RegExp): string[] => names.filter((name) => words.test(name));
	return {
		analysis: holding(/spec_analysis|complexity/i),
		planning: holding(/phase_plan|wave_plan/i),
		execution: holding(/wave_/i).filter((name) => /complete/i.test(name)),
		decisions: holding(/decision|context/i),
		checkpoints: [...holding(/checkpoint/i), key],
	};
}

function decisionsOf({ state, workspace }: Checkpoint): object[] {
	const ofTask = workspace?.task?.decisions ?? [];
	return [
		...ofTask.map(({ decision, reason, at }) => ({ decision, rationale: reason, timestamp: at, impact: null })),
		...spokenDecisions(state).map(({ kind, subject, words, at }) => ({
			decision: `${kind}: ${cut(oneLine(subject), 200)}`,
			rationale: words || null,
			timestamp: at,
			impact: null,
		})),
	];
}

/** By what their calls left behind. */
function toolsOf({ files, commands, searches, backgroundTasks }: SessionState): string[] {
	const used = {
		Edit: files.some(({ edits }) => edits > 0),
		Read: files.some(({ reads }) => reads > 0),
		Bash: commands.length > 0,
		Grep: searches.length > 0,
		Agent: backgroundTasks.some(({ kind }) => kind === "agent"),
	};
	return Object.entries(used).flatMap(([name, is]) => (is ? [name] : []));
}

/** The phases of the document, each with the words by which a task's own phase is taken for it. */
const PHASES: [string, RegExp][] = [
	["deployment", /deploy|release|publish|ship/i],
	["testing", /test|verif|qa\b/i],
	["implementation", /implement|build|cod(?:e|ing)|develop|refactor|fix/i],
	["planning", /plan|design/i],
	["analysis", /analy|research|explor|investigat|understand/i],
];

/** The phase the task's state names, else what plan, edits and tests show. */
function phaseOf({ state: { files, checks, plan, searches }, workspace }: Checkpoint): string {
	const named = workspace?.task?.phase;
	const known = named && PHASES.find(([, words]) => words.test(named))?.[0];
	if (known) return known;
	if (plan && !plan.approved) return "planning";
	const edits = files.filter(({ edits: count }) => count > 0).map(({ edited, order }) => edited ?? order);
	const tested = checks.findLast(({ kind }) => kind === "test")?.order ?? -1;
	if (edits.length > 0) return tested > Math.max(...edits) ? "testing" : "implementation";
	if (plan) return "planning";
	return files.length > 0 || searches.length > 0 ? "analysis" : "unknown";
}

/** Percent of the task list that is done; `null` without one. */
function progressOf({ tasks }: SessionState): number | null {
	const counted = tasks.filter(({ status }) => status !== "cancelled");
	const done = counted.filter(({ status }) => status === "completed");
	return counted.length === 0 ? null : Math.round((done.length / counted.length) * 100);
}

/** The last thing asked of the model; a shell line typed with `!` asks nothing. */
export const requestOf = ({ messages }: Pick<SessionState, "messages">): Message | null =>
	messages.findLast(({ source, text }) => !(source === "command" && text.startsWith("! "))) ?? null;

/** What comes next, by the surest source there is: the task's state, the task list, an open question, the request. */
export function nextAction({ state, workspace }: Pick<Checkpoint, "state" | "workspace">): string | null {
	const of = (status: string) => state.tasks.find((one) => one.status === status)?.subject;
	const next = workspace?.task?.nextAction || of("in_progress") || of("pending");
	if (next) return next;
	const question = state.questions.at(-1)?.text;
	if (question) return `answer the open question: ${short(question)}`;
	const request = short(requestOf(state)?.text);
	return request && `go on with the request: ${request}`;
}

const SHORT = 600;
const short = (text: string | undefined): string | null => (text ? cut(oneLine(text), SHORT) : null);
