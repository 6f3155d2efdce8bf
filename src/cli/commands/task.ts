import { existsSync } from "node:fs";
import { InvalidArgumentError } from "commander";
import { isDone, type TaskState, workingBundle } from "../../core/task/task-state.ts";
import { barred, storePath } from "../../core/text/quoted.ts";
import { oneLine, safeText } from "../../core/text/text.ts";
import { isInSession, isSessionId, storeRoot } from "../../store/paths.ts";
import { haltedAt, resumeWork } from "../../store/session/halt.ts";
import { folderOf } from "../../store/session/place.ts";
import { sessionAt } from "../../store/session-handle.ts";
import { archiveTask, lockTask, readTask, writeSummary, writeTask } from "../../store/task/task-state.ts";
import {
	type Answer,
	duration,
	type Given,
	JSON_OUT,
	option,
	PRESSURE,
	SESSION,
	type Spec,
} from "../support/command.ts";
import type { Io } from "../support/io.ts";
import { ownName } from "../support/own-name.ts";
import { nameOf } from "../support/place.ts";
import {
	beginNew,
	EXIT_HELP,
	finished,
	judged,
	NOT_BEGUN,
	shortLine,
	stopped,
	type Task,
	type TaskAnswer,
	taskAt,
	taskPlace,
	told,
	untilText,
	withTask,
} from "../support/task.ts";

/** `ccg task status`, also of a bare `ccg task`. */
export const status: Spec = {
	about: "say where the task stands; writes nothing",
	options: [SESSION, PRESSURE, JSON_OUT],
	help: `\nExamples:\n  ccg task status\n  ccg task status --json | jq .status\n${EXIT_HELP}`,
	act(io, options: Given) {
		const task = taskAt(taskPlace(options.session, io), options, io);
		return told(task.decision.act === "initialise" ? NOT_BEGUN : judged(task), task);
	},
};

interface EnsureOptions extends Given {
	goal?: string;
}

/** `ccg task ensure`: begins a task, or checks the one on disk. */
export const ensure: Spec = {
	about: "begin the task, or check that what is on disk can be trusted: what a session does first",
	options: [
		option("--goal <text>", "the goal of a task that begins or has none", (value) => {
			if (!value.trim()) throw new InvalidArgumentError("it must be a text that is not empty");
			return value;
		}),
		SESSION,
		PRESSURE,
		JSON_OUT,
	],
	help: `
Examples:
  ccg task ensure --goal "Port the parser to TypeScript"
  ccg task ensure
${EXIT_HELP}`,
	act: (io, options: EnsureOptions) => withTask(io, options, (task) => told(ensured(task, options.goal), task)),
};

function ensured(task: Task, goal: string | undefined): TaskAnswer {
	const { decision, disk, place, io } = task;
	if (decision.act === "stop") return stopped(task, decision);
	if (decision.act === "finish") return finished(task, decision.state);
	if (decision.act === "initialise") {
		const begun: Task = { ...task, decision: { ...decision, reason: "a new task begins" } };
		return { ...judged(begun, beginNew(task, goal)), wrote: ["state", "summary"] };
	}
	const { state, note } = withGoal(decision.state, goal, io.now());
	const answer = judged(task, state);
	const isFilled = state !== decision.state;
	const isPressed = ["compress", "critical"].includes(answer.pressure?.level ?? "");
	const wrote: ("state" | "summary")[] = [];
	if (isFilled || answer.status === "STATUS:HALT_CONTEXT_LIMIT") {
		writeTask(place.folder, state, false);
		wrote.push("state");
	}
	const isBehind = disk.summaryRevision !== state.revision;
	if (decision.act === "rewrite summary" || isFilled || (isBehind && isPressed)) {
		writeSummary(place.folder, state);
		wrote.push("summary");
	}
	return { ...answer, wrote, note };
}

/** A goal given for a task that is there: it fills an empty one; another one is told, not taken. */
function withGoal(state: TaskState, given: string | undefined, now: Date): { state: TaskState; note?: string } {
	const goal = safeText(given ?? "").trim();
	if (!goal || shortLine(goal) === shortLine(state.goal)) return { state };
	if (!state.goal.trim())
		return { state: { ...state, goal, revision: state.revision + 1, updated_at: now.toISOString() } };
	return {
		state,
		note: `the task on disk has another goal: "${shortLine(state.goal)}"; finish or archive it (\`ccg task checkpoint --complete\`, \`ccg task archive --force\`), or change it with \`ccg task checkpoint --goal\``,
	};
}

/** `ccg task bundle`. */
export const bundle: Spec = {
	about: "print the working bundle: exactly what the next action needs to know",
	options: [SESSION, PRESSURE, JSON_OUT],
	help: `\nExamples:\n  ccg task bundle\n  ccg task bundle --json\n${EXIT_HELP}`,
	act: (io, options: Given) => withTask(io, options, bundled),
};

function bundled(task: Task): Answer {
	const { decision, disk, place, io } = task;
	const answer = decision.act === "initialise" ? NOT_BEGUN : judged(task);
	const { state, pressure } = answer;
	if (answer.status !== "OK" || !state) return told(answer, task);
	const isPressed = pressure?.level !== "normal" && pressure?.level !== "warning";
	if (decision.act === "rewrite summary" || (disk.summaryRevision !== state.revision && isPressed))
		writeSummary(place.folder, state);
	const fields = workingBundle(state);
	const lines = Object.entries(fields).map(([name, value]) => {
		const texts = [value ?? []].flat();
		return texts.length > 0 ? `${name}:\n${texts.map(barred).join("\n")}` : `${name}: (none)`;
	});
	return { json: fields, text: () => io.out(lines.join("\n")) };
}

/** `ccg task archive`. */
export const archive: Spec = {
	about: "move a finished, legacy or damaged task aside, so that a new one can begin",
	options: [option("--force", "also a task that is not finished"), SESSION, JSON_OUT],
	help: `\nExamples:\n  ccg task archive\n  ccg task archive --force\n${EXIT_HELP}`,
	act(io, { session, force }: Given & { force?: boolean }) {
		const { folder } = taskPlace(session, io);
		return lockTask(folder, () => {
			const { file, summary } = readTask(folder);
			if (file.found === "present" && !isDone(file.state) && !force)
				throw new Error(
					`the task in ${folder} is not finished; 'ccg task checkpoint --complete' finishes it, --force archives it as it is`,
				);
			const to = archiveTask(folder, io.now());
			const text = to ? `moved to ${to}; \`ccg task ensure\` begins a new task` : `there is no task in ${folder}`;
			return { json: { archived: to, state: file.found, summary }, text };
		});
	},
};

/** `ccg task resume`: a person lifts the stop. */
export const resume: Spec = {
	about: "for people: lift the stop at critical pressure, until the next compaction",
	options: [option("--for <time>", "only for this long: 90s, 30m, 2h", duration), SESSION, JSON_OUT],
	help: `
Examples:
  ccg task resume
  ccg task resume --for 30m --session 0c0ffee0-0000-4000-8000-000000000000
${EXIT_HELP}`,
	act(io, options: Given & { for?: number }) {
		// no real barrier, but it keeps an agent from helping itself
		if (isInSession(io.env))
			throw new Error("resume is a person's word: run it in a terminal of your own, outside Claude Code");
		const { session } = taskPlace(options.session ?? halted(io), io);
		if (!session)
			throw new Error("resume lifts the stop of a session; name it with --session ID ('ccg status' lists them)");
		const now = io.now();
		const until = options.for === undefined ? null : new Date(now.getTime() + options.for);
		const stood = existsSync(session.paths.haltMarker);
		resumeWork(session, now, until);
		const word = { session_id: session.id, until: until?.toISOString() ?? null, stood };
		// one of another project may be meant, so its name is said
		const folder = folderOf(session);
		const project = folder && ` of project ${oneLine(nameOf(folder))} (${storePath(folder)})`;
		const text = `session ${session.id}${project} goes on ${untilText(word)}${stood ? "" : "; no stop stood there"}`;
		return { json: word, text };
	},
};

/** The session that is meant where none is named: the one of this project that is stopped, else the only one there is. */
function halted(io: Io): string | undefined {
	const root = storeRoot(io.env);
	if (!root || isSessionId(io.env.CLAUDE_CODE_SESSION_ID)) return undefined;
	const store = { root, tell: io.tell };
	const { here, elsewhere } = haltedAt(store, io.cwd);
	const choice = here.length > 0 ? here : elsewhere;
	if (choice.length < 2) return choice[0];
	const rows = choice.map(
		(sid) =>
			`  ${ownName(io)} task resume --session ${sid}   # ${folderOf(sessionAt(store, sid)) || "folder not known"}`,
	);
	throw new Error(`${choice.length} sessions are stopped; say which goes on:\n${rows.join("\n")}`);
}
