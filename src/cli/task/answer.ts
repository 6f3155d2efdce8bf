import type { KnownPressure } from "../../core/halt/pressure-level.ts";
import type { StatusSignal } from "../../core/task/startup.ts";
import type { TaskState } from "../../core/task/task-state.ts";
import { oneLine } from "../../core/text/text.ts";
import { answerJson } from "../support/answer-json.ts";
import type { Io } from "../support/io.ts";
import { moment } from "../support/layout/moment.ts";
import { asTyped } from "../support/own-name.ts";
import { EXIT } from "../support/task-exit-codes.ts";

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
	state_path: string;
	summary_path: string;
	wrote: ("state" | "summary")[];
	/** What a person can do about a stop. */
	hint?: string;
	/** What else there is to know of what was asked. */
	note?: string;
	/** What was wrong with a file and is mended or quarantined. */
	problem?: string;
}

/** Prints the answer, the status alone on the first line, and sets the exit code. Its commands can be typed as they stand. */
export function tell(given: TaskAnswer, json: boolean | undefined, io: Io): void {
	io.exit(EXIT[given.status]);
	const answer = { ...given, reason: asTyped(given.reason, io) };
	if (given.hint) answer.hint = asTyped(given.hint, io);
	if (given.note) answer.note = asTyped(given.note, io);
	const { state, ...rest } = answer;
	if (json) return answerJson(io, { ...rest, ...(state && { task: brief(state) }) });
	const { status, reason, hint, note, pressure, resumed, wrote } = answer;
	io.out(status);
	io.out(reason);
	if (hint) io.out(hint);
	if (note) io.out(note);
	if (state) {
		io.out(
			`task      ${state.task_id}, revision ${state.revision}, ${state.status}, phase "${shortLine(state.current_phase)}"`,
		);
		if (state.goal) io.out(`goal      ${shortLine(state.goal)}`);
		io.out(`next      ${shortLine(state.next_action) || "(empty)"}`);
		for (const blocker of state.blockers) io.out(`blocker   ${shortLine(blocker)}`);
	}
	if (pressure)
		io.out(`pressure  ${pressureText(pressure)}${resumed ? `; lifted by a person ${untilText(resumed)}` : ""}`);
	if (wrote.includes("state")) io.out(`saved     ${answer.state_path}`);
	if (wrote.includes("summary")) io.out(`summary   ${answer.summary_path}`);
	if (answer.problem) io.err(`ccg: ${answer.problem}`);
}

/** The whole state stays on disk: an agent's context is what this is to spare. */
const brief = ({ task_id, revision, status, goal, current_phase, next_action, blockers }: TaskState) => ({
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
