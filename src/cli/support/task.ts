import { existsSync } from "node:fs";
import { join } from "node:path";
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
import { refuseStoreLinks } from "../../store/refuse-links.ts";
import { sessionFolders } from "../../store/session/chosen-store.ts";
import { listSessions, readCycle } from "../../store/session/cycles.ts";
import { grantPass, resumedUntil } from "../../store/session/halt.ts";
import { type Session, sessionAt } from "../../store/session-handle.ts";
import {
	beginTask,
	lockTask,
	newTaskId,
	readTask,
	type TaskOnDisk,
	taskPaths,
	writeTask,
} from "../../store/task/task-state.ts";
import { moment } from "./answer.ts";
import type { Answer, Given } from "./command.ts";
import { type Io, WrongUse } from "./io.ts";
import { asTyped } from "./own-name.ts";
import { lastOfProject, mayName, refuseCrossing } from "./place.ts";

// What the commands of `ccg task` share: where a task is, the startup branch, the pressure, and the answer with its exit code.

/** The exit codes of `ccg task`; a host tells the signals by them. */
const EXIT: Record<"OK" | StatusSignal, number> = {
	OK: 0,
	"STATUS:MISSING_STATE": 3,
	"STATUS:HALT_CONTEXT_LIMIT": 4,
	"STATUS:COMPLETE": 5,
};

export const EXIT_HELP = `
Exit codes: 0 go on, 1 failed, 2 wrong use, 3 STATUS:MISSING_STATE (stop: the state can't be trusted),
4 STATUS:HALT_CONTEXT_LIMIT (autonomous work should end here, unless a person said otherwise), 5 STATUS:COMPLETE (nothing left to do;
'ccg task checkpoint --complete' itself ends 0: it did what was asked).`;

/** Where a task lives, and the session whose pressure counts for it: `null` without a store, or with a root of one's own and no session. */
export interface TaskPlace {
	folder: string;
	sid: string | null;
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
export interface TaskAnswer {
	/** `OK` or a signal a host has to act on. */
	status: "OK" | StatusSignal;
	/** Why, in a sentence. */
	reason: string;
	/** The rule of the startup branch that decided, where one did. */
	rule?: number;
	state?: TaskState | undefined;
	pressure?: KnownPressure;
	/** A person lifted the stop: until then, or `null` for up to the next compaction. */
	resumed?: { until: string | null } | null;
	wrote?: ("state" | "summary")[];
	/** What a person can do about a stop. */
	hint?: string;
	/** What else there is to know of what was asked. */
	note?: string | undefined;
}

/**
 * The task's folder: `CCG_TASK_ROOT`, else the session's in the store. The session is the one named, by its whole id, else the one this
 * runs in, else the one of this project seen last, which is told. Throws with what to set when there is none, and for one that is
 * not known.
 */
export function taskPlace(named: string | undefined, io: Io): TaskPlace {
	// it becomes part of a path
	if (named !== undefined && !isSessionId(named))
		throw new WrongUse("a session id has 1 to 64 letters, digits, _ and -");
	const { tell } = io;
	const root = storeRoot(io.env);
	const here = io.env.CLAUDE_CODE_SESSION_ID;
	const known = named ?? (isSessionId(here) ? here : null);
	// a typo must not begin a session; the one this runs in may be new to the store
	const isThere = named === undefined || named === here || !root || listSessions({ root, tell }).includes(named);
	if (root && named !== undefined && isThere && !mayName(named, io))
		refuseCrossing(`session ${named} is none of this project`, io);
	const session = root && known !== null ? sessionAt({ root, tell }, known) : null;
	const own = taskRoot(io.env, sessionFolders(io, "CCG_TASK_ROOT"));
	if (own) return { folder: own, sid: known, session };
	if (!root) throw new Error("there is no place for a task: set CCG_TASK_ROOT to a folder, or HOME or CCG_HOME");
	if (!isThere) throw new Error(`no session ${named} in ${root}; 'ccg status --all' lists those known`);
	const meant = session ?? lastOfProject(io);
	refuseStoreLinks(root, meant.id);
	return { folder: join(root, "sessions", meant.id), sid: meant.id, session: meant };
}

/** Reads the task and acts on it, alone. */
export function withTask(io: Io, options: Given, act: (task: Task) => Answer): Answer {
	const place = taskPlace(options.session, io);
	return lockTask(place.folder, () => act(taskAt(place, options, io)));
}

/** Reads the task; writes nothing. */
export function taskAt(place: TaskPlace, options: Given, io: Io): Task {
	const disk = readTask(place.folder);
	return { place, disk, decision: startupDecision(disk.file, disk.summary), options, io };
}

/** The answer with its exit code: its status alone on the first line; its commands can be typed as they stand. */
export function told(given: TaskAnswer, { place, io }: Task, exit = EXIT[given.status]): Answer {
	io.exit(exit);
	const { state: state_path, latest: summary_path } = taskPaths(place.folder);
	const { status, state, wrote = [], pressure, resumed } = given;
	const [reason, hint, note] = [given.reason, given.hint, given.note].map((text) => text && asTyped(text, io));
	const task = state && briefly(state);
	const lifted = resumed ? `; lifted by a person ${untilText(resumed)}` : "";
	const lines = [
		...[status, reason, hint, note],
		...(state && task
			? [
					`task      ${task.task_id}, revision ${task.revision}, ${task.status}, phase "${shortLine(task.current_phase)}"`,
					task.goal && `goal      ${shortLine(task.goal)}`,
					`next      ${shortLine(task.next_action) || "(empty)"}`,
					...task.blockers.map((blocker) => `blocker   ${shortLine(blocker)}`),
				]
			: []),
		pressure && `pressure  ${pressureText(pressure)}${lifted}`,
		wrote.includes("state") && `saved     ${state_path}`,
		wrote.includes("summary") && `summary   ${summary_path}`,
	];
	const { rule } = given;
	const about = { status, reason, rule, pressure, resumed, hint, note, wrote, state_path, summary_path, task };
	return { json: about, text: () => io.out(lines.filter(Boolean).join("\n")) };
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

export const untilText = ({ until }: { until: string | null }): string =>
	until ? `until ${moment(until)}` : "until the next compaction";

function pressureText({ value, level, source }: KnownPressure): string {
	if (value === null) return "missing after the first turn, so critical";
	return `${(Math.floor(value * 100) / 100).toFixed(2)} ${level} (${source})`;
}

export const shortLine = (text: string): string => oneLine(text).slice(0, 200);

/** The answer where there is nothing yet and the command begins nothing. */
export const NOT_BEGUN: TaskAnswer = {
	status: "STATUS:MISSING_STATE",
	rule: 2,
	reason: "no task has begun here; `ccg task ensure` begins one",
};

/** The answer where the state can't be trusted; nothing was written. */
export function stopped({ place }: Task, { signal: status, rule, reason }: Stop): TaskAnswer {
	const { summaries, latest } = taskPaths(place.folder);
	const hint =
		rule === 8
			? `A person can copy a dated summary from ${summaries} to ${latest}, or move the task aside with \`ccg task archive --force\`.`
			: `A person can mend the file (dated summaries lie in ${summaries}), or move the task aside with \`ccg task archive\` (--force where it is not finished).`;
	return { status, rule, reason, hint };
}

type Stop = Extract<StartupDecision, { act: "stop" }>;

/** The answer to the startup branch: its signal, else the pressure's. `state` stands in for the one on disk. */
export function judged(task: Task, state = "state" in task.decision ? task.decision.state : undefined): TaskAnswer {
	const { decision } = task;
	if (decision.act === "stop") return stopped(task, decision);
	const { rule, reason, signal } = decision;
	if (signal || !state) return { status: signal ?? "STATUS:MISSING_STATE", rule, reason, state };
	const { halt, ...under } = pressureOn(task, state);
	return { ...under, rule, reason: halt ?? reason, state };
}

/** The pressure under which work goes on from a state; `halt` says why it stops, where it is critical and nobody lifted the stop. */
export function pressureOn({ place: { session }, options, io }: Task, state: TaskState) {
	const usage = session && readUsage(session);
	// as the hooks have it: the folder the session began in, not where a cd led
	const folder = usage?.projectDir || usage?.cwd || undefined;
	const place = { sid: session?.id, folder };
	const { task: thresholds, guard } = loadConfig(session?.root ?? storeRoot(io.env), place).config;
	const measured = session && usage && { ...usage, beforeCompaction: compactedAt(readCycle(session)) > usage.at };
	const facts = { given: options.pressure, firstTurn: state.checkpoint_at === null, measured: measured ?? null };
	const pressure = knownPressure(facts, thresholds);
	const resumed = session && resumedUntil(session, io.now());
	const halts = pressure.level === "critical" && !resumed;
	const status: TaskAnswer["status"] = halts ? "STATUS:HALT_CONTEXT_LIMIT" : "OK";
	return { status, pressure, resumed, halt: halts ? haltReason(pressure, thresholds.critical, guard.mode) : null };
}

export function beginNew({ place, disk: { file }, io }: Task, goal: string | undefined): TaskState {
	const before = file.found === "present" ? file.state : null;
	const at = io.now();
	return beginTask(
		place.folder,
		initialState({
			task_id: newTaskId(at),
			session_id: place.sid,
			goal: goal === undefined ? (before?.goal ?? "") : safeText(goal).trim(),
			at: at.toISOString(),
		}),
	);
}

/** The last write of a task: final state and summary, once. */
export function finished({ place, disk, io }: Task, state: TaskState): TaskAnswer {
	const { file, summary, summaryRevision } = disk;
	const isWritten =
		file.found === "present" && file.state.status === "complete" && file.state.revision === state.revision;
	const stands = isWritten && summary === "present" && summaryRevision === state.revision;
	const final: TaskState = { ...state, status: "complete" };
	if (!stands) {
		writeTask(place.folder, final, true);
		letPass(place, io.now());
	}
	return {
		status: "STATUS:COMPLETE",
		rule: 5,
		reason: `the task is done${stands ? " since before, so nothing was written" : ""}; \`ccg task archive\` makes room for a new one`,
		state: final,
		wrote: stands ? [] : ["state", "summary"],
	};
}

/** While the stop stands, a checkpoint is what the guard waits for: it will let one change through. */
export function letPass({ session }: TaskPlace, now: Date): void {
	if (session && existsSync(session.paths.haltMarker)) grantPass(session, now);
}
