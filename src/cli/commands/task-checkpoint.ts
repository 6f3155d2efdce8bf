import { isDone } from "../../core/task/task-state.ts";
import { changesPhaseOrGoal, parseUpdate, type TaskUpdate, unmatched, updated } from "../../core/task/task-update.ts";
import { readText } from "../../store/json-file.ts";
import { writeTask } from "../../store/task/task-state.ts";
import { type Answer, type Given, JSON_OUT, option, PRESSURE, SESSION, type Spec } from "../support/command.ts";
import type { Io } from "../support/io.ts";
import { fileToRead } from "../support/place.ts";
import {
	beginNew,
	EXIT_HELP,
	finished,
	letPass,
	NOT_BEGUN,
	pressureOn,
	stopped,
	type Task,
	told,
	withTask,
} from "../support/task.ts";

type Text = "did" | "outcome" | "next" | "failed" | "why" | "decision" | "step" | "phase" | "goal";
type OfTask = "blocker" | "unblock" | "constraint" | "file";
type Options = Given & Partial<Record<Text | OfTask, string>> & { touched?: string[]; complete?: boolean };

/** `ccg task checkpoint`. */
export const checkpoint: Spec = {
	about: "record what was done and what comes next, durably",
	options: [
		option("--did <text>", "the action that worked"),
		option("--outcome <text>", "what came of it; with --complete, of the task"),
		option("--next <text>", "the next action; DONE when nothing is left"),
		option("--failed <text>", "an attempt that did not work"),
		option("--why <text>", "the reason of --failed or of --decision"),
		option("--decision <text>", "a decision"),
		option("--step <text>", "a step of the plan that is completed"),
		option("--phase <text>", "the phase the task is in now"),
		option("--goal <text>", "the goal, when it changed"),
		option("--touched <path...>", "files that were changed or matter"),
		option("--blocker <text>", "what the task waits for"),
		option("--unblock <text>", "a blocker that is gone, word for word, or all"),
		option("--constraint <text>", "what must be kept to"),
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

Fields of --file: goal, current_phase, next_action, last_action {summary, outcome}, completed_steps, failed_attempts
{attempt, reason}, decisions {decision, reason}, artifacts {path, note}, tool_outputs, blockers, invariants, constraints,
remove {blockers, invariants, constraints}. Texts replace, entries of lists are added.
${EXIT_HELP}`,
	act(io, options: Options) {
		const wanted = updateOf(options, io);
		if ("problems" in wanted) {
			for (const problem of wanted.problems) io.err(`ccg: ${problem}`);
			io.err("ccg: nothing was written; 'ccg task checkpoint --help' shows examples");
			return io.exit(2) as undefined;
		}
		return withTask(io, options, (task) =>
			options.complete ? completed(task, wanted.update) : recorded(task, wanted.update),
		);
	},
};

function recorded(task: Task, update: TaskUpdate): Answer {
	const { decision, place, io } = task;
	if (decision.act === "stop") return told(stopped(task, decision), task);
	if (decision.act === "finish") return told(finished(task, decision.state), task);
	const isNew = decision.act === "initialise";
	const unknown = unmatched(isNew ? null : decision.state, update);
	if (unknown.length > 0) throw new Error(`${unknown.join("; ")}. Nothing was written`);
	const before = isNew ? beginNew(task, update.goal) : decision.state;
	const state = updated(before, update, io.now().toISOString());
	if (isDone(state)) return told(finished(task, state), task);
	const { halt, ...under } = pressureOn(task, before);
	const isCalm = under.pressure.level === "normal" && decision.act === "continue";
	const withSummary = !isCalm || changesPhaseOrGoal(before, state);
	writeTask(place.folder, state, withSummary);
	letPass(place, io.now());
	const reason = halt ? `saved; ${halt}` : "saved";
	return told({ ...under, reason, state, wrote: withSummary ? ["state", "summary"] : ["state"] }, task);
}

function completed(task: Task, update: TaskUpdate): Answer {
	const { decision, io } = task;
	if (decision.act === "initialise") return told(NOT_BEGUN, task);
	if (decision.act === "stop") return told(stopped(task, decision), task);
	const { state } = decision;
	const last = decision.act === "finish" ? state : updated(state, update, io.now().toISOString());
	// "nothing left to do" stops whoever goes on; here it is what was asked for
	return told(finished(task, last), task, 0);
}

/** The update from flags and JSON together; a field given both ways is named. */
function updateOf(options: Options, io: Io): { update: TaskUpdate } | { problems: string[] } {
	const { file, outcome, failed, why, decision, complete, unblock } = options;
	const did = options.did ?? (complete && outcome !== undefined ? "completed the task" : undefined);
	const problems: string[] = [];
	if (outcome !== undefined && did === undefined) problems.push("--outcome: says what came of --did, which is missing");
	if (why !== undefined && failed === undefined && decision === undefined)
		problems.push("--why: is the reason of --failed or --decision; both are missing");
	if (complete && options.next !== undefined) problems.push("--next: nothing is next with --complete");
	const reason = why ?? "";
	const flags: Record<string, unknown> = {
		goal: options.goal,
		current_phase: options.phase,
		next_action: complete ? "DONE" : options.next,
		last_action: did !== undefined ? { summary: did, outcome: outcome ?? "" } : undefined,
		completed_steps: options.step,
		failed_attempts: failed !== undefined ? [{ attempt: failed, reason }] : undefined,
		decisions: decision !== undefined ? [{ decision, reason: failed === undefined ? reason : "" }] : undefined,
		artifacts: options.touched,
		blockers: options.blocker,
		constraints: options.constraint,
		remove: unblock !== undefined ? { blockers: [unblock] } : undefined,
	};
	const fields: Record<string, unknown> = {};
	if (file !== undefined) {
		const text = file === "-" ? io.stdin() : readText(fileToRead(file, io));
		if (text === null) return { problems: [`--file ${file}: can't be read`] };
		try {
			const value: unknown = JSON.parse(text);
			if (value === null || typeof value !== "object" || Array.isArray(value))
				problems.push(`--file ${file}: must hold one JSON object`);
			else Object.assign(fields, value);
		} catch (error) {
			problems.push(`--file ${file}: not JSON: ${(error as Error).message}`);
		}
	}
	for (const [name, value] of Object.entries(flags)) {
		if (value === undefined) continue;
		if (name in fields) problems.push(`${name}: given by a flag and in --file`);
		fields[name] = value;
	}
	if (problems.length > 0) return { problems };
	if (Object.keys(fields).length === 0)
		return { problems: ["there is nothing to record: give at least --did or --next"] };
	return parseUpdate(fields);
}
