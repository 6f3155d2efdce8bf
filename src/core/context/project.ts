import type { BackgroundTask, SessionState, Task } from "../state/session-state.ts";
import { isDoneStatus } from "../state/tasks.ts";
import { cut, normalise, oneLine, titleOf } from "../text/text.ts";
import { type EndedTask, type SessionSnapshot, seconds } from "./session-context.ts";

/** Completed tasks and ended work are told for so long. */
const DONE_SECONDS = 24 * 3600;

/** The session context as people and programs read it, and `ccg status SESSION` shows it: a view of the record. `summary`: Claude Code's own of the last compaction, `""` before the first. */
export function sessionContext(record: SessionSnapshot, summary: string) {
	const { ended, state, ended_tasks, account: _, ...kept } = record;
	const since = record.updated_at - DONE_SECONDS;
	return {
		...kept,
		system_state: {
			cwd: state.cwd,
			branch: state.branch,
			claude_version: state.claudeVersion,
			model: state.model,
			/** Compactions by Claude Code. */
			compactions: state.boundaries,
			/** Context size of the last answer since the last compaction; `null` while unknown. */
			context_tokens: state.tokens,
			/** `""` while it runs; why Claude Code said it ended. */
			ended,
		},
		facts: factsOf(state),
		recent_history: historyOf(state),
		long_term_summary: summary,
		current_plan: currentPlan(state),
		active_tasks: state.tasks
			.filter((task) => isMeant(task) && !(isDoneStatus(task.status) && seconds(task.changedAt) <= since))
			.map(activeTask),
		background_tasks: [...ended_tasks.filter(({ seen }) => seen > since), ...state.backgroundTasks]
			.map(listedTask)
			.sort((a, b) => a.started_at - b.started_at),
		approvals: approvalsOf(state),
	};
}

/** What the user approved, answered and refused. */
export const approvalsOf = ({ decisions }: SessionState) =>
	decisions.map(({ at, order: _, ...decision }) => ({ timestamp: seconds(at), ...decision }));

const MAX_FACTS = 500;
const MAX_FACT = 500;

/** What the user answered, and messages that say of themselves that they last, in order; what differs in case and white space alone is the same. */
function factsOf({ messages, decisions }: SessionState): string[] {
	const told = [
		...messages.map(({ order, text, lasts }) => ({ order, facts: lasts ? [text] : [] })),
		...decisions.map(({ order, kind, subject, words }) => ({
			order,
			facts: kind === "answer" ? [`${subject} — ${words}`] : [],
		})),
	].sort((a, b) => a.order - b.order);
	const known = new Map<string, string>();
	for (const fact of told.flatMap(({ facts }) => facts).map((one) => cut(oneLine(one), MAX_FACT)))
		if (!known.has(normalise(fact))) known.set(normalise(fact), fact);
	return [...known.values()].slice(-MAX_FACTS);
}

const STATUS: Record<string, "Pending" | "Running" | "Completed" | "Failed"> = {
	pending: "Pending",
	in_progress: "Running",
	completed: "Completed",
	done: "Completed",
	failed: "Failed",
};
/** Claude Code tells none: begun counts half. */
const PROGRESS = { Pending: 0, Running: 0.5, Completed: 1, Failed: 0 } as const;

const isMeant = ({ status }: Task): boolean => status !== "cancelled";

function activeTask({ id, subject, status: told, madeAt, changedAt }: Task) {
	const status = (Object.hasOwn(STATUS, told) && STATUS[told]) || "Pending";
	const times = { created_at: seconds(madeAt), updated_at: seconds(changedAt) };
	return { id, description: subject, status, progress: PROGRESS[status], ...times };
}

const HISTORY = 50;
const HISTORY_TEXT = 2_000;
const CHARS_PER_TOKEN = 4;

/** What was said and done last, as the record has it. Tokens are estimated: the transcript counts whole messages only. */
function historyOf({ messages, prose, calls }: SessionState) {
	const entries = [
		...messages.map(({ at, order, text }) => ({ at, order, role: "user" as const, text })),
		...calls.map(({ at, order, tool, subject, outcome, output = "" }) => ({
			...{ at, order, role: "tool" as const, tool, failed: outcome !== "ended" },
			text: `${tool} ${subject}\n${outcome}${output && `: ${output}`}`,
		})),
		// words behind a call have its number
		...prose.map(({ at, order, text }) => ({ at, order, role: "assistant" as const, text })),
	];
	return entries
		.sort((a, b) => a.order - b.order)
		.slice(-HISTORY)
		.map(({ at, order, text, ...more }) => ({
			...{ timestamp: seconds(at), ...more, content: cut(text, HISTORY_TEXT) },
			...{ token_count: Math.ceil(text.length / CHARS_PER_TOKEN), id: String(order) },
		}));
}

const MAX_STEPS = 60;

/**
 * The plan of plan mode and the tasks made of it: the tasks are its steps as soon as one changed behind it; before, the items of its
 * text's first list are.
 */
function currentPlan({ plan, tasks, messages }: SessionState) {
	const made = tasks.filter(isMeant);
	if (!plan && made.length === 0) return null;
	const isFollowed = !plan || tasks.some(({ changed = 0 }) => changed >= (plan.pos ?? 0));
	const told = isFollowed
		? made.map(activeTask).map(({ description, status }) => ({ description, status: AS_STEP[status] }))
		: listItemsIn(plan.text).map((description) => ({ description, status: "Pending" as const }));
	const steps = told.slice(-MAX_STEPS).map((step, id) => ({ id, ...step, result: null }));
	const open = steps.findIndex(({ status }) => status === "Pending" || status === "InProgress");
	const isBegun = steps.some(({ status }) => status !== "Pending");
	const proposed = !plan ? "InProgress" : plan.approved ? "Approved" : "Proposed";
	return {
		goal: plan ? cut(titleOf(plan.text), 300) : requestBehind(made, messages),
		steps,
		/** Index of the first step that is not done; the number of steps when all are. */
		current_step: open < 0 ? steps.length : open,
		status: !isBegun ? proposed : open < 0 ? "Completed" : "InProgress",
		/** Where Claude Code keeps its text; `""` when it was not told. */
		path: plan?.path ?? "",
		updated_at: Math.max(...[plan?.at, ...(isFollowed ? tasks : []).map((one) => one.changedAt)].map(seconds)),
	};
}
const AS_STEP = { Pending: "Pending", Running: "InProgress", Completed: "Completed", Failed: "Failed" } as const;

const listItemsIn = (text: string): string[] =>
	text
		.split("\n")
		.flatMap((line) => /^(?:\d+[.)]|[-*] \[[ xX]\])\s+(\S.*)$/.exec(line.trim())?.[1] ?? [])
		.slice(0, MAX_STEPS)
		.map((item) => cut(item, 300));

/** What the user had said last when the first of the tasks was made. */
function requestBehind(tasks: readonly Task[], messages: SessionState["messages"]): string {
	const first = Math.min(...tasks.map(({ pos = 0 }) => pos));
	return cut(oneLine(messages.findLast(({ pos = 0 }) => pos <= first)?.text ?? ""), 300);
}

const KINDS: Record<BackgroundTask["kind"], string> = {
	"background shell": "shell",
	agent: "subagent",
	schedule: "schedule",
};

/** Background work, in Claude Code's words where it listed it. */
function listedTask({ id, kind, what, output, at, listed, ...ended }: BackgroundTask | EndedTask) {
	return {
		id,
		kind: listed?.kind ?? KINDS[kind] ?? kind,
		description: listed?.description || what,
		status: "status" in ended ? ended.status : ("running" as const),
		output,
		started_at: seconds(at),
		seen_at: "seen" in ended ? ended.seen : seconds(listed?.at ?? at),
	};
}
