import type { BackgroundTask, SessionState, Task } from "../state/session-state.ts";
import { isDoneStatus } from "../state/tasks.ts";
import { normalise, oneLine, titleOf, truncate } from "../text/text.ts";
import { type EndedTask, type SessionSnapshot, unixSeconds } from "./session-context.ts";

/** How long completed tasks and ended background tasks are shown. */
const SHOWN_SECONDS = 24 * 3600;

/** A session's record as the context that `ccg status SESSION` shows. `summary`: Claude Code's own of the last compaction, or `""`. */
export function sessionContext(record: SessionSnapshot, summary: string) {
	const { ended, state, ended_tasks, account: _lastListing, ...others } = record;
	const shownSince = record.updated_at - SHOWN_SECONDS;
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
			.filter(
				(task) => isNotCancelled(task) && !(isDoneStatus(task.status) && unixSeconds(task.changedAt) <= shownSince),
			)
			.map(activeTask),
		background_tasks: [...ended_tasks.filter(({ seen }) => seen > shownSince), ...state.backgroundTasks]
			.map(backgroundTaskEntry)
			.sort((a, b) => a.started_at - b.started_at),
		approvals: approvalsOf(state),
	};
}

/** The user's decisions, with times in Unix seconds. */
export const approvalsOf = ({ decisions }: SessionState) =>
	decisions.map(({ at, order: _, ...decision }) => ({ timestamp: unixSeconds(at), ...decision }));

const MAX_FACTS = 500;
const MAX_FACT_CHARS = 500;

/** The user's answers, and messages with words such as `always` (`lasts`), in order and each once, apart from case and white space. */
function factsOf({ messages, decisions }: SessionState): string[] {
	const entries = [
		...messages.map(({ order, text, lasts }) => ({ order, facts: lasts ? [text] : [] })),
		...decisions.map(({ order, kind, subject, words }) => ({
			order,
			facts: kind === "answer" ? [`${subject} — ${words}`] : [],
		})),
	].sort((a, b) => a.order - b.order);
	const byKey = new Map<string, string>();
	for (const fact of entries.flatMap(({ facts }) => facts).map((one) => truncate(oneLine(one), MAX_FACT_CHARS)))
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

const isNotCancelled = ({ status }: Task): boolean => status !== "cancelled";
/** A task of the state as the context shows it. */
function activeTask({ id, subject, status: ownStatus, madeAt, changedAt }: Task) {
	const status = (Object.hasOwn(STATUS, ownStatus) && STATUS[ownStatus]) || "Pending";
	const times = { created_at: unixSeconds(madeAt), updated_at: unixSeconds(changedAt) };
	return { id, description: subject, status, progress: PROGRESS[status], ...times };
}

const MAX_HISTORY = 50;
const MAX_HISTORY_CHARS = 2_000;
const CHARS_PER_TOKEN = 4;

/** The user's last messages, and the agent's calls and texts, in order. Their tokens are estimated: the transcript counts API messages. */
function historyOf({ messages, prose, calls }: SessionState) {
	const entries = [
		...messages.map(({ at, order, text }) => ({ at, order, role: "user" as const, text })),
		...calls.map(({ at, order, tool, subject, outcome, output = "" }) => ({
			...{ at, order, role: "tool" as const, tool, failed: outcome !== "ended" },
			text: `${tool} ${subject}\n${outcome}${output && `: ${output}`}`,
		})),
		// (after the calls: a text that follows a call has the call's `order`)
		...prose.map(({ at, order, text }) => ({ at, order, role: "assistant" as const, text })),
	];
	return entries
		.sort((a, b) => a.order - b.order)
		.slice(-MAX_HISTORY)
		.map(({ at, order, text, ...more }) => ({
			...{ timestamp: unixSeconds(at), ...more, content: truncate(text, MAX_HISTORY_CHARS) },
			...{ token_count: Math.ceil(text.length / CHARS_PER_TOKEN), id: String(order) },
		}));
}

const MAX_STEPS = 60;

/**
 * The current plan with its steps; `null` without plan and tasks. Its steps are the tasks, if one of them changed after plan mode's plan was
 * made or there is no such plan; else the list items in the plan's text.
 */
function currentPlan({ plan, tasks, messages }: SessionState) {
	const activeTasks = tasks.filter(isNotCancelled);
	if (!plan && activeTasks.length === 0) return null;
	const hasTaskSteps = !plan || tasks.some(({ changed = 0 }) => changed >= (plan.pos ?? 0));
	const allSteps = hasTaskSteps
		? activeTasks.map(activeTask).map(({ description, status }) => ({ description, status: STEP_STATUS[status] }))
		: listItemsIn(plan.text).map((description) => ({ description, status: "Pending" as const }));
	const steps = allSteps.slice(-MAX_STEPS).map((step, id) => ({ id, ...step, result: null }));
	const firstOpen = steps.findIndex(({ status }) => status === "Pending" || status === "InProgress");
	const isBegun = steps.some(({ status }) => status !== "Pending");
	const statusBefore = !plan ? "InProgress" : plan.approved ? "Approved" : "Proposed";
	return {
		goal: plan ? truncate(titleOf(plan.text), 300) : requestBefore(activeTasks, messages),
		steps,
		/** Index of the first step that is not done; the number of steps when all are. */
		current_step: firstOpen < 0 ? steps.length : firstOpen,
		status: !isBegun ? statusBefore : firstOpen < 0 ? "Completed" : "InProgress",
		/** The file with the plan's text; `""` where Claude Code named none. */
		path: plan?.path ?? "",
		updated_at: Math.max(...[plan?.at, ...(hasTaskSteps ? tasks : []).map((one) => one.changedAt)].map(unixSeconds)),
	};
}
const STEP_STATUS = { Pending: "Pending", Running: "InProgress", Completed: "Completed", Failed: "Failed" } as const;
/** The numbered items and checkboxes in a plan's text. */
const listItemsIn = (text: string): string[] =>
	text
		.split("\n")
		.flatMap((line) => /^(?:\d+[.)]|[-*] \[[ xX]\])\s+(\S.*)$/.exec(line.trim())?.[1] ?? [])
		.slice(0, MAX_STEPS)
		.map((item) => truncate(item, 300));

/** The user's last message before the first of the tasks was made, as one line. */
function requestBefore(tasks: readonly Task[], messages: SessionState["messages"]): string {
	const firstPos = Math.min(...tasks.map(({ pos = 0 }) => pos));
	return truncate(oneLine(messages.findLast(({ pos = 0 }) => pos <= firstPos)?.text ?? ""), 300);
}

const KINDS: Record<BackgroundTask["kind"], string> = {
	"background shell": "shell",
	agent: "subagent",
	schedule: "schedule",
};

/** A background task, running or ended, as the context shows it. Where Claude Code listed it (`listed`), in the words of that list. */
function backgroundTaskEntry({ id, kind, what, output, at, listed, ...ended }: BackgroundTask | EndedTask) {
	return {
		id,
		kind: listed?.kind ?? KINDS[kind] ?? kind,
		description: listed?.description || what,
		status: "status" in ended ? ended.status : ("running" as const),
		output,
		started_at: unixSeconds(at),
		seen_at: "seen" in ended ? ended.seen : unixSeconds(listed?.at ?? at),
	};
}
