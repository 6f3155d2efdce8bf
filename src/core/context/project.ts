import type { BackgroundTask, SessionState, Task } from "../state/session-state.ts";
import { isDoneStatus } from "../state/tasks.ts";
import { cut, normalise, oneLine, titleOf } from "../text/text.ts";
import { type EndedTask, type SessionSnapshot, seconds } from "./session-context.ts";

/** How long completed tasks and ended background tasks are shown. */
const DONE_SECONDS = 24 * 3600;

/** A session's record as the context that `ccg status SESSION` shows. `summary`: Claude Code's own of the last compaction, or `""`. */
export function sessionContext(record: SessionSnapshot, summary: string) {
	const { ended, state, ended_tasks, account: _lastListing, ...others } = record;
	const since = record.updated_at - DONE_SECONDS;
	return {
		...others,
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

/** The user's decisions, with times in Unix seconds. */
export const approvalsOf = ({ decisions }: SessionState) =>
	decisions.map(({ at, order: _, ...decision }) => ({ timestamp: seconds(at), ...decision }));

const MAX_FACTS = 500;
const MAX_FACT = 500;

/** The user's answers and lasting messages in order, each once: texts that differ in case and white space alone are the same. */
function factsOf({ messages, decisions }: SessionState): string[] {
	const entries = [
		...messages.map(({ order, text, lasts }) => ({ order, facts: lasts ? [text] : [] })),
		...decisions.map(({ order, kind, subject, words }) => ({
			order,
			facts: kind === "answer" ? [`${subject} — ${words}`] : [],
		})),
	].sort((a, b) => a.order - b.order);
	const byKey = new Map<string, string>();
	for (const fact of entries.flatMap(({ facts }) => facts).map((one) => cut(oneLine(one), MAX_FACT)))
		if (!byKey.has(normalise(fact))) byKey.set(normalise(fact), fact);
	return [...byKey.values()].slice(-MAX_FACTS);
}

const STATUS: Record<string, "Pending" | "Running" | "Completed" | "Failed"> = {
	pending: "Pending",
	in_progress: "Running",
	completed: "Completed",
	done: "Completed",
	failed: "Failed",
};
/** Claude Code tells no progress: a running task counts half. */
const PROGRESS = { Pending: 0, Running: 0.5, Completed: 1, Failed: 0 } as const;

const isMeant = ({ status }: Task): boolean => status !== "cancelled";
/** A task of the state as the context shows it. */
function activeTask({ id, subject, status: ownStatus, madeAt, changedAt }: Task) {
	const status = (Object.hasOwn(STATUS, ownStatus) && STATUS[ownStatus]) || "Pending";
	const times = { created_at: seconds(madeAt), updated_at: seconds(changedAt) };
	return { id, description: subject, status, progress: PROGRESS[status], ...times };
}

const HISTORY = 50;
const HISTORY_TEXT = 2_000;
const CHARS_PER_TOKEN = 4;

/** The last messages, calls and words of the agent, in order. Their tokens are estimated: the transcript counts whole API messages only. */
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
 * The current plan with its steps; `null` without plan and tasks. Its steps are the tasks as soon as one of them changed behind plan mode's
 * plan (or there is no such plan); before that, the list items in the plan's text.
 */
function currentPlan({ plan, tasks, messages }: SessionState) {
	const activeTasks = tasks.filter(isMeant);
	if (!plan && activeTasks.length === 0) return null;
	const isFollowed = !plan || tasks.some(({ changed = 0 }) => changed >= (plan.pos ?? 0));
	const allSteps = isFollowed
		? activeTasks.map(activeTask).map(({ description, status }) => ({ description, status: AS_STEP[status] }))
		: listItemsIn(plan.text).map((description) => ({ description, status: "Pending" as const }));
	const steps = allSteps.slice(-MAX_STEPS).map((step, id) => ({ id, ...step, result: null }));
	const open = steps.findIndex(({ status }) => status === "Pending" || status === "InProgress");
	const isBegun = steps.some(({ status }) => status !== "Pending");
	const proposed = !plan ? "InProgress" : plan.approved ? "Approved" : "Proposed";
	return {
		goal: plan ? cut(titleOf(plan.text), 300) : requestBehind(activeTasks, messages),
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
/** The numbered items and checkboxes in a plan's text. */
const listItemsIn = (text: string): string[] =>
	text
		.split("\n")
		.flatMap((line) => /^(?:\d+[.)]|[-*] \[[ xX]\])\s+(\S.*)$/.exec(line.trim())?.[1] ?? [])
		.slice(0, MAX_STEPS)
		.map((item) => cut(item, 300));

/** The user's last message before the first of the tasks was made, as one line. */
function requestBehind(tasks: readonly Task[], messages: SessionState["messages"]): string {
	const first = Math.min(...tasks.map(({ pos = 0 }) => pos));
	return cut(oneLine(messages.findLast(({ pos = 0 }) => pos <= first)?.text ?? ""), 300);
}

const KINDS: Record<BackgroundTask["kind"], string> = {
	"background shell": "shell",
	agent: "subagent",
	schedule: "schedule",
};

/** A background task, running or ended, as the context shows it: in Claude Code's words where it listed the task. */
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
