import { haltReason } from "../../core/pressure/halt-text.ts";
import { type KnownPressure, knownPressure } from "../../core/pressure/pressure.ts";
import { compactedAt } from "../../core/session/cycle.ts";
import { type StartupDecision, type StatusSignal, startupDecision } from "../../core/task/startup.ts";
import { initialState, type TaskState } from "../../core/task/task-state.ts";
import { oneLine, safeText } from "../../core/text/text.ts";
import { loadConfig } from "../../store/config/config.ts";
import { isSessionId, storeRoot } from "../../store/paths.ts";
import { readUsage } from "../../store/pressure/flags.ts";
import { taskRoot } from "../../store/project-store.ts";
import { sessionFolders } from "../../store/session/chosen-store.ts";
import { readCycle } from "../../store/session/cycles.ts";
import type { Session } from "../../store/session-handle.ts";
import {
	beginTask,
	lockTask,
	newTaskId,
	readTask,
	type TaskOnDisk,
	taskPaths,
	writeSummary,
} from "../../store/task/task-state.ts";
import type { Answer, Given } from "./command.ts";
import type { Io } from "./io.ts";
import { asTyped } from "./own-name.ts";
import { meantSession } from "./place.ts";

// What the commands of `ccg task` share: where a task is, the startup branch, the pressure, and the answer with its exit code.

/** The exit codes of `ccg task` (its help names them too); a host tells the signals by them. */
const EXIT: Record<"OK" | StatusSignal, number> = {
	OK: 0,
	"STATUS:MISSING_STATE": 3,
	"STATUS:HALT_CONTEXT_LIMIT": 4,
	"STATUS:COMPLETE": 5,
};

/** Where a task lives, and the session whose pressure counts for it: `null` with a root of one's own and no session. */
interface TaskPlace {
	folder: string;
	session: Session | null;
}

/** What a task command works on: where the task is, what is on disk of it, and what the startup branch makes of that. */
export interface Task {
	place: TaskPlace;
	disk: TaskOnDisk;
	decision: StartupDecision;
	options: Given;
	io: Io;
}

/** What a task command ended with. */
interface TaskAnswer {
	/** `OK` or a signal a host has to act on. */
	status: "OK" | StatusSignal;
	/** Why, in a sentence. */
	reason: string;
	state?: TaskState;
	pressure?: KnownPressure;
	/** A person lifted the stop, up to the next compaction. */
	lifted?: boolean;
}

/** The task's folder: `CCG_TASK_ROOT`, else the session's in the store. */
export function taskPlace(named: string | undefined, io: Io): TaskPlace {
	const own = taskRoot(io.env, sessionFolders(io, "CCG_TASK_ROOT"));
	const isWithout = own && named === undefined && !isSessionId(io.env.CLAUDE_CODE_SESSION_ID);
	const session = isWithout ? null : meantSession(named, io);
	return { folder: own ?? session!.paths.folder, session };
}

/** Reads the task; writes nothing. */
export function taskAt(options: Given, io: Io, place = taskPlace(options.session, io)): Task {
	const disk = readTask(place.folder);
	return { place, disk, decision: startupDecision(disk.file, disk.summary), options, io };
}

/**
 * Reads the task and acts on its state, alone; `null` is a task that has not begun. One that can't be trusted is stopped at, and one that
 * is done is told (the process ends `whenDone`), whatever the command; a summary that differs from the state is written anew.
 */
export function withTask(
	io: Io,
	options: Given,
	act: (task: Task, state: TaskState | null) => Answer,
	whenDone?: number,
): Answer {
	const place = taskPlace(options.session, io);
	return lockTask(place.folder, () => {
		const task = taskAt(options, io, place);
		const { decision } = task;
		if (decision.act === "stop") return told(judged(task), task);
		if (decision.act === "finish") return told(judged(task), task, whenDone);
		if (decision.act === "rewrite summary") writeSummary(place.folder, decision.state);
		return act(task, decision.act === "initialise" ? null : decision.state);
	});
}

/** The answer with its exit code: its status alone on the first line; its commands can be typed as they stand. */
export function told(given: TaskAnswer, { place, io }: Task, exit = EXIT[given.status]): Answer {
	io.exit(exit);
	const { status, state, pressure, lifted = false } = given;
	const reason = asTyped(given.reason, io);
	const { state: state_path, latest: summary_path } = taskPaths(place.folder);
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

/** The whole state stays on disk: an agent's context is what this is to spare. */
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

/** What the startup branch says, else the pressure: `state` stands in for the one on disk, `reason` for the branch's. */
export function judged(task: Task, state?: TaskState, reason = task.decision.reason): TaskAnswer {
	const { decision, place } = task;
	if (decision.act === "stop") return { status: decision.signal, reason: `${reason}. ${remedy(place)}` };
	if (decision.act === "finish") return { status: decision.signal, reason: DONE, state: decision.state };
	const judging = state ?? ("state" in decision ? decision.state : null);
	if (!judging)
		return { status: "STATUS:MISSING_STATE", reason: "no task has begun here; `ccg task ensure` begins one" };
	return { ...underPressure(task, judging, reason), state: judging };
}

export const DONE = "the task is done; `ccg task archive` makes room for a new one";

const remedy = ({ folder }: TaskPlace): string => {
	const { summaries, latest } = taskPaths(folder);
	return `A person can mend it (dated summaries lie in ${summaries}; a copy of one as ${latest} stands for a missing one), or move the task aside with \`ccg task archive --force\`.`;
};

/** Whether work goes on from a state: not where the pressure is critical and nobody lifted the stop. */
export function underPressure({ place: { session }, options, io }: Task, state: TaskState, reason: string): TaskAnswer {
	const usage = session && readUsage(session);
	// as the hooks have it: the folder the session began in, not where a cd led
	const folder = usage?.projectDir || usage?.cwd || undefined;
	const { task: thresholds, guard } = loadConfig(storeRoot(io.env), { sid: session?.id, folder }).config;
	const measured = session && usage && { ...usage, beforeCompaction: compactedAt(readCycle(session)) > usage.at };
	const facts = { given: options.pressure, firstTurn: state.checkpoint_at === null, measured: measured ?? null };
	const pressure = knownPressure(facts, thresholds);
	const lifted = session !== null && readCycle(session).resumed === true;
	if (pressure.level !== "critical" || lifted) return { status: "OK", reason, pressure, lifted };
	const why = `${reason}; ${haltReason(pressure, thresholds.critical, guard.mode)}`;
	return { status: "STATUS:HALT_CONTEXT_LIMIT", reason: why, pressure, lifted };
}

/** Writes the first state of a task; a beginning that was cut short keeps its goal. */
export function beginNew({ place, disk: { file }, io }: Task, goal: string | undefined): TaskState {
	const before = file.found === "present" ? file.state.goal : "";
	const at = io.now();
	return beginTask(
		place.folder,
		initialState({
			task_id: newTaskId(at),
			session_id: place.session?.id ?? null,
			goal: goal === undefined ? before : safeText(goal).trim(),
			at: at.toISOString(),
		}),
	);
}
