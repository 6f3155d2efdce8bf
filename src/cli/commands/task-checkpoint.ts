import { existsSync } from "node:fs";
import { isDone, type TaskState } from "../../core/task/task-state.ts";
import { applyUpdate, missingRemovals, parseUpdate, type TaskUpdate } from "../../core/task/task-update.ts";
import { parseObject, readText } from "../../files/json-file.ts";
import { changeCycle } from "../../store/session/cycles.ts";
import { writeTask } from "../../store/task/task-state.ts";
import { type Answer, type Flags, JSON_OUT, option, PRESSURE, SESSION, type Spec } from "../support/command.ts";
import { type Io, WrongUse } from "../support/io.ts";
import { pathToRead } from "../support/place.ts";
import { answerTask, assessTask, completeAnswer, createTask, type Task, withLockedTask } from "../support/task.ts";

type Text = "did" | "outcome" | "next" | "failed" | "why" | "decision" | "step" | "phase" | "goal";
type OfTask = "blocker" | "unblock" | "constraint" | "file";
type Options = Flags & Partial<Record<Text | OfTask, string>> & { touched?: string[]; complete?: boolean };

export const checkpoint: Spec = {
	about: "save what was done and what comes next",
	options: [
		option("--did <text>", "the action that worked"),
		option("--outcome <text>", "its result; with --complete, the task's"),
		option("--next <text>", "the next action; DONE when nothing is left"),
		option("--failed <text>", "an attempt that did not work"),
		option("--why <text>", "the reason for --failed or --decision"),
		option("--decision <text>", "a decision"),
		option("--step <text>", "a completed step of the plan"),
		option("--phase <text>", "the phase the task is in now"),
		option("--goal <text>", "the new goal, if it changed"),
		option("--touched <path...>", "files that were changed or matter"),
		option("--blocker <text>", "what the task waits for"),
		option("--unblock <text>", "a blocker that is gone, in its exact words; or all"),
		option("--constraint <text>", "a rule that the task must follow"),
		option("--file <path>", "a JSON object of fields; - reads it from stdin"),
		option("--complete", "the task is done: write its final state and summary"),
		SESSION,
		PRESSURE,
		JSON_OUT,
	],
	help: `
Examples:
  ccg task checkpoint --did "wrote the lexer" --outcome "12 tests pass" --next "write the parser"
  ccg task checkpoint --failed "regex lexer" --why "no nested comments" --next "hand-written lexer"
  ccg task checkpoint --decision "keep the old file format" --why "users have files"
  ccg task checkpoint --complete --outcome "all tests pass"
  echo '{"next_action":"write the parser","artifacts":["src/lexer.ts"]}' | ccg task checkpoint --file -

Fields of --file: goal, current_phase, next_action, last_action {summary, outcome}, completed_steps, \
failed_attempts {attempt, reason}, decisions {decision, reason}, artifacts {path, note}, tool_outputs, blockers, invariants, \
constraints, remove {blockers, invariants, constraints}. Texts replace, entries of lists are added.`,
	run(io, options: Options) {
		const update = parseTaskUpdate(options, io);
		return withLockedTask(io, options, (task, state) =>
			options.complete && !state ? answerTask(assessTask(task), task) : writeUpdate(task, state, update),
		);
	},
};

/** Applies an update to the task's state and writes it; `saved`: the state on disk, `null` where no task has begun. */
function writeUpdate(task: Task, saved: TaskState | null, update: TaskUpdate): Answer {
	const { session, io } = task;
	const unknown = missingRemovals(saved, update);
	if (unknown.length > 0) throw new Error(`${unknown.join("; ")}. Nothing was written`);
	const before = saved ?? createTask(task, update.goal);
	const state = applyUpdate(before, update, io.now().toISOString());
	const isComplete = isDone(state);
	if (isComplete) state.status = "complete";
	writeTask(session.paths.folder, state);
	// while work is halted, each checkpoint of the task lets one tool call that changes files pass the gate
	const passAt = io.now().toISOString();
	if (existsSync(session.paths.haltFlag)) changeCycle(session, (cycle) => void Object.assign(cycle, { passAt }));
	// (assessed by the state before, which says whether this is the first turn)
	return answerTask(isComplete ? completeAnswer(state) : { ...assessTask(task, before, "saved"), state }, task);
}

/** Makes an update of the task from the options and the JSON of `--file`. Throws where they contradict each other. */
function parseTaskUpdate(options: Options, io: Io): TaskUpdate {
	const { file, outcome, failed, why, decision, complete, unblock, next } = options;
	const did = options.did ?? (complete && outcome !== undefined ? "completed the task" : undefined);
	if (outcome !== undefined && did === undefined)
		throw new WrongUse("--outcome says what came of --did, which is missing");
	if (why !== undefined && failed === undefined && decision === undefined)
		throw new WrongUse("--why is the reason of --failed or --decision; both are missing");
	if (complete && next !== undefined) throw new WrongUse("--next: nothing is next with --complete");
	const reason = why ?? "";
	const fields = {
		goal: options.goal,
		current_phase: options.phase,
		next_action: complete ? "DONE" : next,
		last_action: did !== undefined ? { summary: did, outcome: outcome ?? "" } : undefined,
		completed_steps: options.step,
		failed_attempts: failed !== undefined ? [{ attempt: failed, reason }] : undefined,
		decisions: decision !== undefined ? [{ decision, reason: failed === undefined ? reason : "" }] : undefined,
		artifacts: options.touched,
		blockers: options.blocker,
		constraints: options.constraint,
		remove: unblock !== undefined ? { blockers: [unblock] } : undefined,
	};
	const fromFlags = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
	const fromFile = file === undefined ? {} : readUpdateFile(file, io);
	const givenTwice = Object.keys(fromFlags).find((name) => name in fromFile);
	if (givenTwice) throw new WrongUse(`${givenTwice}: given by a flag and in --file`);
	const parsed = parseUpdate({ ...fromFile, ...fromFlags });
	if ("problems" in parsed) throw new WrongUse(parsed.problems.join("; "));
	return parsed.update;
}

/** Reads the JSON object that `--file` names, or stdin for `-`. */
function readUpdateFile(file: string, io: Io): object {
	const text = file === "-" ? io.stdin() : readText(pathToRead(file, io));
	const fields = text === null ? null : parseObject(text, 10);
	if (!fields) throw new WrongUse(`--file ${file}: it must hold one JSON object`);
	return fields;
}
