import { existsSync } from "node:fs";
import { haltReason } from "../../core/halt/halt-text.ts";
import type { StartupDecision } from "../../core/task/startup.ts";
import { initialState, type TaskState } from "../../core/task/task-state.ts";
import { safeText } from "../../core/text/text.ts";
import { grantPass } from "../../store/pressure/halt.ts";
import { sessionAt } from "../../store/session-handle.ts";
import { beginTask, newTaskId, type TaskOnDisk, taskPaths, writeTask } from "../../store/task/task-state.ts";
import type { Io } from "../support/io.ts";
import { shortLine, type TaskAnswer, tell } from "./answer.ts";
import { type PlaceOptions, pressureAt, type TaskPlace } from "./place.ts";

export interface Common extends PlaceOptions {
	pressure?: number;
	json?: boolean;
}

type Decided = StartupDecision | (StartupDecision & { state: TaskState });

type Stop = Extract<StartupDecision, { act: "stop" }>;

/** The answer where the state can't be trusted; nothing was written. */
export function stopped(place: TaskPlace, disk: TaskOnDisk, { signal: status, rule, reason }: Stop): TaskAnswer {
	const { summaries, latest } = taskPaths(place.folder);
	const before = disk.file.found === "invalid" ? disk.file.before : undefined;
	const hint = before
		? `It is revision ${before.revision} of ${before.updated_at}, next "${shortLine(before.next_action)}". Guess nothing: a person can mend the file, go on from the version before with \`ccg task ensure --from-last\`, or move the task aside with \`ccg task archive\`. Nothing is deleted.`
		: rule === 8
			? `A person can copy a dated summary from ${summaries} to ${latest}, or move the task aside with \`ccg task archive --force\`.`
			: "A person can mend the file, or move the task aside with `ccg task archive` (--force where it is not finished).";
	return answerOf(place, disk, { status, rule, reason, hint });
}

/** The answer where there is nothing yet and this command begins nothing. */
export function notBegun(place: TaskPlace, disk: TaskOnDisk): TaskAnswer {
	const reason = "no task has begun here; `ccg task ensure` begins one";
	return answerOf(place, disk, { status: "STATUS:MISSING_STATE", rule: 2, reason });
}

/** The answer to a decision of the startup branch: its signal, else the pressure's. */
export function judged(
	place: TaskPlace,
	disk: TaskOnDisk,
	decision: Decided,
	{ pressure: given }: Common,
	wrote: TaskAnswer["wrote"],
	now: Date,
): TaskAnswer {
	if (decision.act === "stop") return stopped(place, disk, decision);
	const { rule, reason, signal } = decision;
	const state = "state" in decision ? decision.state : undefined;
	if (signal || !state) return answerOf(place, disk, { status: signal ?? "STATUS:MISSING_STATE", rule, reason, state });
	const { pressure, resumed, critical, mode } = pressureAt(
		place,
		{ given, firstTurn: state.checkpoint_at === null },
		now,
	);
	const halts = pressure.level === "critical" && !resumed;
	return answerOf(place, disk, {
		status: halts ? "STATUS:HALT_CONTEXT_LIMIT" : "OK",
		rule,
		reason: halts ? haltReason(pressure, critical, mode) : reason,
		state,
		pressure,
		resumed,
		wrote,
	});
}

export function answerOf(
	place: TaskPlace,
	disk: TaskOnDisk,
	answer: Omit<TaskAnswer, "state_path" | "summary_path" | "wrote" | "problem"> & { wrote?: TaskAnswer["wrote"] },
): TaskAnswer {
	const { state, latest } = taskPaths(place.folder);
	return {
		wrote: [],
		...answer,
		state_path: state,
		summary_path: latest,
		...(disk.problem && { problem: disk.problem }),
	};
}

export function begin(place: TaskPlace, { file }: TaskOnDisk, goal: string | undefined, now: Date): TaskState {
	const before = file.found === "present" ? file.state : null;
	return beginTask(
		place,
		initialState({
			task_id: newTaskId(now),
			session_id: place.session,
			goal: goal === undefined ? (before?.goal ?? "") : safeText(goal).trim(),
			at: now.toISOString(),
		}),
	);
}

/** The last write of a task: final state and summary, once. */
export function finish(
	place: TaskPlace,
	disk: TaskOnDisk,
	state: TaskState,
	{ json }: Common,
	io: Io,
	now: Date,
): void {
	const final: TaskState = { ...state, status: "complete" };
	const written =
		disk.file.found === "present" &&
		disk.file.state.status === "complete" &&
		disk.file.state.revision === state.revision;
	const stands = written && !disk.recovered && disk.summary === "present" && disk.summaryRevision === state.revision;
	if (!stands) {
		writeTask(place, final, true);
		letPass(place, now);
	}
	tell(
		answerOf(place, disk, {
			status: "STATUS:COMPLETE",
			rule: 5,
			reason: `the task is done${stands ? " since before, so nothing was written" : ""}; \`ccg task archive\` makes room for a new one`,
			state: final,
			wrote: stands ? [] : ["state", "summary"],
		}),
		json,
		io,
	);
}

/** While the stop stands, a checkpoint is what the halt gate waits for: it will let one change through. */
export function letPass({ store, session }: TaskPlace, now: Date): void {
	if (!store || !session) return;
	const handle = sessionAt(store, session);
	if (existsSync(handle.paths.haltMarker)) grantPass(handle, now);
}
