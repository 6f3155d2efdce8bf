import { haltReason } from "../../core/pressure/halt-text.ts";
import { choosePressure, type TaskPressure } from "../../core/pressure/pressure.ts";
import { compactedAt } from "../../core/session/cycle.ts";
import { decideStartup } from "../../core/task/startup.ts";
import { initialState, newTaskId, type TaskState } from "../../core/task/task-state.ts";
import { oneLine, safeText } from "../../core/text/text.ts";
import { loadConfig } from "../../store/config.ts";
import { storeRoot } from "../../store/paths.ts";
import { readLastUsage } from "../../store/pressure/flags.ts";
import { readCycle } from "../../store/session/cycles.ts";
import { readSessionFolder } from "../../store/session/place.ts";
import type { Session } from "../../store/session-handle.ts";
import { beginTask, readTask, taskPaths, withTaskLock, writeSummary } from "../../store/task/task-state.ts";
import type { Answer, Flags } from "./command.ts";
import type { Io } from "./io.ts";
import { withTypableCommands } from "./own-name.ts";
import { resolveSession } from "./place.ts";

/** The exit codes of `ccg task` by status; a program that runs it tells the statuses apart by them. */
const EXIT_CODES = { OK: 0, "STATUS:MISSING_STATE": 3, "STATUS:HALT_CONTEXT_LIMIT": 4, "STATUS:COMPLETE": 5 };

/** What a task command ended with. */
interface TaskAnswer {
	/** `OK` or a signal a host has to act on. */
	status: keyof typeof EXIT_CODES;
	/** Why, in a sentence. */
	reason: string;
	state?: TaskState;
	pressure?: TaskPressure;
	/** A person lifted the stop, up to the next compaction. */
	lifted?: boolean;
}

/** What a task command works on: the task's session, and the decision that the files of the task lead to (`decideStartup`). */
export type Task = ReturnType<typeof loadTask>;

/** Reads the task of a session, with the decision whether work may start from its files; writes nothing. */
export function loadTask(options: Flags & { complete?: boolean }, io: Io, sessionIfKnown?: Session) {
	const session = sessionIfKnown ?? resolveSession(options.session, io);
	return { session, decision: decideStartup(readTask(session.paths.folder)), options, io };
}

/**
 * Locks and reads the task, and calls `run` with its state, `null` if it has not begun. If its files can't be trusted or it is done, the answer
 * says so and `run` is not called. A summary that differs from the state is written anew.
 */
export function withLockedTask(io: Io, options: Flags, run: (task: Task, state: TaskState | null) => Answer): Answer {
	const session = resolveSession(options.session, io);
	const { folder } = session.paths;
	return withTaskLock(folder, () => {
		const task = loadTask(options, io, session);
		const { act: action, state } = task.decision;
		if (action === "stop" || action === "finish") return answerTask(assessTask(task), task);
		if (action === "rewrite summary") writeSummary(folder, state);
		return run(task, action === "initialise" ? null : state);
	});
}

/** Makes the answer that a task command prints, and sets its exit code. Its first line holds the status alone. */
export function answerTask(answer: TaskAnswer, { session, options, io }: Task): Answer {
	const { status, state, pressure, lifted = false } = answer;
	// a complete task stops whoever goes on; for `--complete` it is success
	io.setExitCode(options.complete && status === "STATUS:COMPLETE" ? 0 : EXIT_CODES[status]);
	const reason = withTypableCommands(answer.reason, io);
	const { state: state_path, latest: summary_path } = taskPaths(session.paths.folder);
	const task = state && mainFields(state);
	const lines = [
		status,
		reason,
		task &&
			`task      ${task.task_id}, revision ${task.revision}, ${task.status}, phase "${shortLine(task.current_phase)}"`,
		task && `goal      ${shortLine(task.goal)}`,
		task && `next      ${shortLine(task.next_action)}`,
		...(task?.blockers ?? []).map((blocker) => `blocker   ${shortLine(blocker)}`),
		pressure && `pressure  ${pressureText(pressure)}${lifted ? "; lifted by a person until the next compaction" : ""}`,
		task && `saved in  ${state_path}`,
	];
	const json = { status, reason, pressure, lifted, state_path, summary_path, task };
	return { json, text: () => io.out(lines.filter(Boolean).join("\n")) };
}

/** Gives the main fields of a task's state, to spare the agent's context: the whole state stays on disk. */
function mainFields({ task_id, revision, status, goal, current_phase, next_action, blockers }: TaskState) {
	return { task_id, revision, status, goal, current_phase, next_action, blockers };
}

/** Describes the pressure for the answer: value, level and where it is from. */
const pressureText = ({ value, level, source }: TaskPressure): string =>
	value === null
		? "missing after the first turn, so critical"
		: `${(Math.floor(value * 100) / 100).toFixed(2)} ${level} (${source})`;

/** Gives a text in one line, cut after 200 characters. */
export const shortLine = (text: string): string => oneLine(text).slice(0, 200);

/** Says whether work may go on: by the task's files, then by the pressure. `newState` and `reason` replace those from the files. */
export function assessTask(task: Task, newState?: TaskState, reason = task.decision.reason): TaskAnswer {
	const { act: action, state } = task.decision;
	if (action === "stop")
		return { status: "STATUS:MISSING_STATE", reason: `${reason}. ${repairHint(task.session.paths.folder)}` };
	if (action === "finish") return completeAnswer(state);
	const current = newState ?? (action === "initialise" ? null : state);
	if (current) return assessPressure(task, current, reason);
	return { status: "STATUS:MISSING_STATE", reason: "no task has begun here; `ccg task ensure` begins one" };
}

/** The answer where the task is complete. */
export const completeAnswer = (state: TaskState): TaskAnswer => ({
	status: "STATUS:COMPLETE",
	reason: "the task is done; `ccg task archive` makes room for a new one",
	state,
});

/** Says how a person can repair a task whose files can't be trusted. */
function repairHint(folder: string): string {
	const { summaries, latest } = taskPaths(folder);
	return `A person can mend it (dated summaries lie in ${summaries}; a copy of one as ${latest} stands for a missing one), or move the task aside with \`ccg task archive --force\`.`;
}

/** Says by the pressure whether work may go on: not where it is critical and no person has lifted the stop. */
function assessPressure({ session, options, io }: Task, state: TaskState, reason: string): TaskAnswer {
	const usage = readLastUsage(session);
	// (as the hooks do, by the folder that the session began in)
	const folder = readSessionFolder(session) || undefined;
	const { task: thresholds, guard } = loadConfig(storeRoot(io.env), { sid: session.id, folder }).config;
	const measured = usage && { ...usage, beforeCompaction: compactedAt(readCycle(session)) > usage.at };
	const facts = { given: options.pressure, firstTurn: state.checkpoint_at === null, measured };
	const pressure = choosePressure(facts, thresholds);
	const lifted = readCycle(session).resumed === true;
	if (pressure.level !== "critical" || lifted) return { status: "OK", reason, state, pressure, lifted };
	const haltedReason = `${reason}; ${haltReason(pressure, thresholds.critical, guard.mode)}`;
	return { status: "STATUS:HALT_CONTEXT_LIMIT", reason: haltedReason, state, pressure, lifted };
}

/** Writes the first state of a task. Without a goal it takes that of a state already on disk, where its creation was interrupted. */
export function createTask({ session, decision, io }: Task, goal = decision.state?.goal ?? ""): TaskState {
	const now = io.now();
	const first = { task_id: newTaskId(now), session_id: session.id, goal: safeText(goal).trim() };
	return beginTask(session.paths.folder, initialState({ ...first, at: now.toISOString() }));
}
