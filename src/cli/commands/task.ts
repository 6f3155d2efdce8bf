import { isDone, type TaskState, workingBundle } from "../../core/task/task-state.ts";
import { quoteWithBars } from "../../core/text/quoted.ts";
import { safeText } from "../../core/text/text.ts";
import { isInSession } from "../../store/paths.ts";
import { dropHaltFlag, readHaltTime } from "../../store/pressure/flags.ts";
import { findProject } from "../../store/project.ts";
import { changeCycle, listSessions } from "../../store/session/cycles.ts";
import { requireStore } from "../../store/session/place.ts";
import { sessionHandle } from "../../store/session-handle.ts";
import { archiveTask, readTask, withTaskLock, writeTask } from "../../store/task/task-state.ts";
import { type Answer, type Flags, JSON_OUT, option, PRESSURE, SESSION, type Spec } from "../support/command.ts";
import { WrongUse } from "../support/io.ts";
import { resolveSession } from "../support/place.ts";
import { answerTask, assessTask, createTask, loadTask, shortLine, type Task, withLockedTask } from "../support/task.ts";
import { checkpoint } from "./task-checkpoint.ts";

const status: Spec = {
	about: "say where the task stands; writes nothing",
	options: [SESSION, PRESSURE, JSON_OUT],
	help: "\nExample:\n  ccg task status --json | jq .status",
	run(io, options: Flags) {
		const task = loadTask(options, io);
		return answerTask(assessTask(task), task);
	},
};

const ensure: Spec = {
	about: "begin the task, or check that the saved state can be trusted; a session does this first",
	options: [option("--goal <text>", "the goal, for a new task or one without a goal"), SESSION, PRESSURE, JSON_OUT],
	help: '\nExample:\n  ccg task ensure --goal "Port the parser to TypeScript"',
	run(io, options: Flags & { goal?: string }) {
		if (options.goal?.trim() === "") throw new WrongUse("--goal must be a text that is not empty");
		return withLockedTask(io, options, (task, state) => ensureTask(task, state, options.goal));
	},
};

/** Begins the task where there is none, or gives `newGoal` to a task without a goal; says so where the task on disk has another goal. */
function ensureTask(task: Task, state: TaskState | null, newGoal: string | undefined): Answer {
	if (!state) return answerTask(assessTask(task, createTask(task, newGoal), "a new task begins"), task);
	const goal = safeText(newGoal ?? "").trim();
	if (!goal || shortLine(goal) === shortLine(state.goal)) return answerTask(assessTask(task), task);
	if (state.goal.trim()) {
		const reason = `the task on disk has another goal: "${shortLine(state.goal)}"; finish or archive it (\`ccg task checkpoint --complete\`, \`ccg task archive --force\`), or change it with \`ccg task checkpoint --goal\``;
		return answerTask(assessTask(task, state, reason), task);
	}
	const withGoal = { ...state, goal, revision: state.revision + 1, updated_at: task.io.now().toISOString() };
	writeTask(task.session.paths.folder, withGoal);
	return answerTask(assessTask(task, withGoal), task);
}

const bundle: Spec = {
	about: "print the working bundle: exactly what the next action needs to know",
	options: [SESSION, PRESSURE, JSON_OUT],
	help: "\nExample:\n  ccg task bundle --json",
	run: (io, options: Flags) => withLockedTask(io, options, answerBundle),
};

/** Gives what the next action needs to know (the working bundle); where work may not go on, the status alone. */
function answerBundle(task: Task): Answer {
	const answer = assessTask(task);
	if (answer.status !== "OK" || !answer.state) return answerTask(answer, task);
	const fields = workingBundle(answer.state);
	const lines = Object.entries(fields).map(([name, value]) => {
		const texts = [value ?? []].flat();
		return texts.length > 0 ? `${name}:\n${texts.map(quoteWithBars).join("\n")}` : `${name}: (none)`;
	});
	return { json: fields, text: () => task.io.out(lines.join("\n")) };
}

const archive: Spec = {
	about: "move a finished, foreign or damaged task aside, so that a new one can begin",
	options: [option("--force", "also a task that is not finished"), SESSION, JSON_OUT],
	help: "\nExample:\n  ccg task archive --force",
	run(io, { session, force }: Flags & { force?: boolean }) {
		const { folder } = resolveSession(session, io).paths;
		return withTaskLock(folder, () => {
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

const resume: Spec = {
	about: "for people: lift the halt gate for this project's sessions, until the next compaction",
	options: [SESSION, JSON_OUT],
	help: "\nExample:\n  ccg task resume --session 0c0ffee0",
	run(io, { session: named }: Flags) {
		// (no real barrier, but it keeps an agent from lifting the stop itself)
		if (isInSession(io.env))
			throw new Error("resume is a person's word: run it in a terminal of your own, outside Claude Code");
		const store = requireStore(io);
		const own = named === undefined ? listSessions(store, { project: findProject(io.cwd).key }) : [];
		const halted = own.map((sid) => sessionHandle(store, sid)).filter((one) => readHaltTime(one) !== null);
		const sessions = halted.length > 0 ? halted : [resolveSession(named, io)];
		for (const session of sessions) {
			changeCycle(session, (cycle) => void Object.assign(cycle, { resumed: true }));
			dropHaltFlag(session);
		}
		const ids = sessions.map(({ id }) => id);
		return { json: { sessions: ids }, text: `goes on until the next compaction: session ${ids.join(", ")}` };
	},
};

export const commands = { status, ensure, checkpoint, bundle, archive, resume };
