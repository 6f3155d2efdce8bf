import { haltReason } from "../../core/pressure/halt-text.ts";
import { type KnownPressure, knownPressure } from "../../core/pressure/pressure.ts";
import { compactedAt } from "../../core/session/cycle.ts";
import { startupDecision } from "../../core/task/startup.ts";
import { initialState, newTaskId, type TaskState } from "../../core/task/task-state.ts";
import { oneLine, safeText } from "../../core/text/text.ts";
import { loadConfig } from "../../store/config.ts";
import { storeRoot } from "../../store/paths.ts";
import { readUsage } from "../../store/pressure/flags.ts";
import { readCycle } from "../../store/session/cycles.ts";
import { folderOf } from "../../store/session/place.ts";
import { beginTask, lockTask, readTask, taskPaths, writeSummary } from "../../store/task/task-state.ts";
import type { Answer, Given } from "./command.ts";
import type { Io } from "./io.ts";
import { asTyped } from "./own-name.ts";
import { meantSession } from "./place.ts";

// What the commands of `ccg task` share: reading the task, judging it by its state and the pressure, and the answer with its exit code.

/** The exit codes of `ccg task` (its help names them too); a host tells the signals by them. */
const EXIT = { OK: 0, "STATUS:MISSING_STATE": 3, "STATUS:HALT_CONTEXT_LIMIT": 4, "STATUS:COMPLETE": 5 };

/** What a task command ended with. */
interface TaskAnswer {
	/** `OK` or a signal a host has to act on. */
	status: keyof typeof EXIT;
	/** Why, in a sentence. */
	reason: string;
	state?: TaskState;
	pressure?: KnownPressure;
	/** A person lifted the stop, up to the next compaction. */
	lifted?: boolean;
}

/** What a task command works on: the task's session, and the decision that the files of the task lead to (`startupDecision`). */
export type Task = ReturnType<typeof taskAt>;

/** Reads the task; writes nothing. */
export function taskAt(options: Given & { complete?: boolean }, io: Io, session = meantSession(options.session, io)) {
	return { session, decision: startupDecision(readTask(session.paths.folder)), options, io };
}

/**
 * Reads the task and calls `act` with its state, `null` if it has not begun; no other process changes it meanwhile. If it can't be trusted or is
 * done, the answer says so and `act` is not called. A summary that differs from the state is written anew.
 */
export function withTask(io: Io, options: Given, act: (task: Task, state: TaskState | null) => Answer): Answer {
	const session = meantSession(options.session, io);
	const { folder } = session.paths;
	return lockTask(folder, () => {
		const task = taskAt(options, io, session);
		const { act: branch, state } = task.decision;
		if (branch === "stop" || branch === "finish") return tellTask(judgeTask(task), task);
		if (branch === "rewrite summary") writeSummary(folder, state);
		return act(task, branch === "initialise" ? null : state);
	});
}

/** Makes the printed answer and sets its exit code. The first line holds the status alone; its commands can be typed as they stand. */
export function tellTask(answer: TaskAnswer, { session, options, io }: Task): Answer {
	const { status, state, pressure, lifted = false } = answer;
	// "nothing left to do" stops whoever goes on; of --complete it is what was asked for
	io.exit(options.complete && status === "STATUS:COMPLETE" ? 0 : EXIT[status]);
	const reason = asTyped(answer.reason, io);
	const { state: state_path, latest: summary_path } = taskPaths(session.paths.folder);
	const task = state && briefly(state);
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
const briefly = ({ task_id, revision, status, goal, current_phase, next_action, blockers }: TaskState) => ({
	task_id,
	revision,
	status,
	goal,
	current_phase,
	next_action,
	blockers,
});

const pressureText = ({ value, level, source }: KnownPressure): string =>
	value === null
		? "missing after the first turn, so critical"
		: `${(Math.floor(value * 100) / 100).toFixed(2)} ${level} (${source})`;

export const shortLine = (text: string): string => oneLine(text).slice(0, 200);

/** Judges whether work goes on: by the files of the task, then by the pressure. `newState` and `reason` replace those from the files. */
export function judgeTask(task: Task, newState?: TaskState, reason = task.decision.reason): TaskAnswer {
	const { act, state } = task.decision;
	if (act === "stop")
		return { status: "STATUS:MISSING_STATE", reason: `${reason}. ${remedy(task.session.paths.folder)}` };
	if (act === "finish") return taskComplete(state);
	const current = newState ?? (act === "initialise" ? null : state);
	if (current) return judgePressure(task, current, reason);
	return { status: "STATUS:MISSING_STATE", reason: "no task has begun here; `ccg task ensure` begins one" };
}

export const taskComplete = (state: TaskState): TaskAnswer => ({
	status: "STATUS:COMPLETE",
	reason: "the task is done; `ccg task archive` makes room for a new one",
	state,
});

function remedy(folder: string): string {
	const { summaries, latest } = taskPaths(folder);
	return `A person can mend it (dated summaries lie in ${summaries}; a copy of one as ${latest} stands for a missing one), or move the task aside with \`ccg task archive --force\`.`;
}

/** Judges by the pressure whether work goes on: it stops where the pressure is critical and no person lifted the stop. */
function judgePressure({ session, options, io }: Task, state: TaskState, reason: string): TaskAnswer {
	const usage = readUsage(session);
	// as the hooks have it: the folder the session began in, not where a cd led
	const folder = folderOf(session) || undefined;
	const { task: thresholds, guard } = loadConfig(storeRoot(io.env), { sid: session.id, folder }).config;
	const measured = usage && { ...usage, beforeCompaction: compactedAt(readCycle(session)) > usage.at };
	const facts = { given: options.pressure, firstTurn: state.checkpoint_at === null, measured };
	const pressure = knownPressure(facts, thresholds);
	const lifted = readCycle(session).resumed === true;
	if (pressure.level !== "critical" || lifted) return { status: "OK", reason, state, pressure, lifted };
	const why = `${reason}; ${haltReason(pressure, thresholds.critical, guard.mode)}`;
	return { status: "STATUS:HALT_CONTEXT_LIMIT", reason: why, state, pressure, lifted };
}

/** Writes the first state of a task; the goal of a beginning that was cut short is kept. */
export function beginNew({ session, decision, io }: Task, goal = decision.state?.goal ?? ""): TaskState {
	const now = io.now();
	const first = { task_id: newTaskId(now), session_id: session.id, goal: safeText(goal).trim() };
	return beginTask(session.paths.folder, initialState({ ...first, at: now.toISOString() }));
}
