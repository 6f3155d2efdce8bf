import { isDone, type TaskState, workingBundle } from "../../core/task/task-state.ts";
import { barred } from "../../core/text/quoted.ts";
import { safeText } from "../../core/text/text.ts";
import { isInSession } from "../../store/paths.ts";
import { dropHalt, haltSince } from "../../store/pressure/flags.ts";
import { projectOf } from "../../store/project.ts";
import { changeCycle, listSessions } from "../../store/session/cycles.ts";
import { storeOf } from "../../store/session/place.ts";
import { sessionAt } from "../../store/session-handle.ts";
import { archiveTask, lockTask, readTask, writeTask } from "../../store/task/task-state.ts";
import { type Answer, type Given, JSON_OUT, option, PRESSURE, SESSION, type Spec } from "../support/command.ts";
import { WrongUse } from "../support/io.ts";
import { meantSession } from "../support/place.ts";
import { beginNew, judgeTask, shortLine, type Task, taskAt, tellTask, withTask } from "../support/task.ts";
import { checkpoint } from "./task-checkpoint.ts";

/** `ccg task status`, also of a bare `ccg task`. */
const status: Spec = {
	about: "say where the task stands; writes nothing",
	options: [SESSION, PRESSURE, JSON_OUT],
	help: "\nExample:\n  ccg task status --json | jq .status",
	act(io, options: Given) {
		const task = taskAt(options, io);
		return tellTask(judgeTask(task), task);
	},
};

/** `ccg task ensure`: begins a task, or checks the one on disk. */
const ensure: Spec = {
	about: "begin the task, or check that the saved state can be trusted; a session does this first",
	options: [option("--goal <text>", "the goal, for a new task or one without a goal"), SESSION, PRESSURE, JSON_OUT],
	help: '\nExample:\n  ccg task ensure --goal "Port the parser to TypeScript"',
	act(io, options: Given & { goal?: string }) {
		if (options.goal?.trim() === "") throw new WrongUse("--goal must be a text that is not empty");
		return withTask(io, options, (task, state) => ensureTask(task, state, options.goal));
	},
};

/** Begins the task where there is none, gives its goal to a task without one, and says so where the task on disk has another goal. */
function ensureTask(task: Task, state: TaskState | null, newGoal: string | undefined): Answer {
	if (!state) return tellTask(judgeTask(task, beginNew(task, newGoal), "a new task begins"), task);
	const goal = safeText(newGoal ?? "").trim();
	if (!goal || shortLine(goal) === shortLine(state.goal)) return tellTask(judgeTask(task), task);
	if (state.goal.trim()) {
		const reason = `the task on disk has another goal: "${shortLine(state.goal)}"; finish or archive it (\`ccg task checkpoint --complete\`, \`ccg task archive --force\`), or change it with \`ccg task checkpoint --goal\``;
		return tellTask(judgeTask(task, state, reason), task);
	}
	const filled = { ...state, goal, revision: state.revision + 1, updated_at: task.io.now().toISOString() };
	writeTask(task.session.paths.folder, filled);
	return tellTask(judgeTask(task, filled), task);
}

const bundle: Spec = {
	about: "print the working bundle: exactly what the next action needs to know",
	options: [SESSION, PRESSURE, JSON_OUT],
	help: "\nExample:\n  ccg task bundle --json",
	act: (io, options: Given) => withTask(io, options, tellBundle),
};

/** Prints the fields of the working bundle, where work may go on. */
function tellBundle(task: Task): Answer {
	const answer = judgeTask(task);
	if (answer.status !== "OK" || !answer.state) return tellTask(answer, task);
	const fields = workingBundle(answer.state);
	const lines = Object.entries(fields).map(([name, value]) => {
		const texts = [value ?? []].flat();
		return texts.length > 0 ? `${name}:\n${texts.map(barred).join("\n")}` : `${name}: (none)`;
	});
	return { json: fields, text: () => task.io.out(lines.join("\n")) };
}

const archive: Spec = {
	about: "move a finished, foreign or damaged task aside, so that a new one can begin",
	options: [option("--force", "also a task that is not finished"), SESSION, JSON_OUT],
	help: "\nExample:\n  ccg task archive --force",
	act(io, { session, force }: Given & { force?: boolean }) {
		const { folder } = meantSession(session, io).paths;
		return lockTask(folder, () => {
			const { file } = readTask(folder);
			if (file.found === "present" && !isDone(file.state) && !force)
				throw new Error(
					`the task in ${folder} is not finished; 'ccg task checkpoint --complete' finishes it, --force archives it as it is`,
				);
			const archived = archiveTask(folder, io.now());
			const text = archived
				? `moved to ${archived}; \`ccg task ensure\` begins a new task`
				: `there is no task in ${folder}`;
			return { json: { archived }, text };
		});
	},
};

/** `ccg task resume`: a person lifts the stop. */
const resume: Spec = {
	about: "for people: lift the halt gate for this project's sessions, until the next compaction",
	options: [SESSION, JSON_OUT],
	help: "\nExample:\n  ccg task resume --session 0c0ffee0",
	act(io, { session: named }: Given) {
		// (no real barrier, but it keeps an agent from lifting the stop itself)
		if (isInSession(io.env))
			throw new Error("resume is a person's word: run it in a terminal of your own, outside Claude Code");
		const store = storeOf(io);
		const own = named === undefined ? listSessions(store, { project: projectOf(io.cwd).key }) : [];
		const halted = own.map((sid) => sessionAt(store, sid)).filter((one) => haltSince(one) !== null);
		const sessions = halted.length > 0 ? halted : [meantSession(named, io)];
		for (const session of sessions) {
			changeCycle(session, (cycle) => void Object.assign(cycle, { resumed: true }));
			dropHalt(session);
		}
		const ids = sessions.map(({ id }) => id);
		return { json: { sessions: ids }, text: `goes on until the next compaction: session ${ids.join(", ")}` };
	},
};

/** `ccg task`, in the order of its help. */
export const commands = { status, ensure, checkpoint, bundle, archive, resume };
