import { safeName } from "../text/safe-head.ts";
import { oneLine, safeText, truncate } from "../text/text.ts";
import type { EventOf } from "../transcript/event.ts";
import { textBetween } from "../transcript/spoken.ts";
import { type BackgroundTask, currentPos, type OpenCall, type SessionState, trimList } from "./session-state.ts";

/** Whether a call's command goes on in the background. Claude Code's structured result says so; what a command prints is not believed. */
export const runsInBackground = ({ detail }: EventOf<"result">): boolean =>
	textProperty(detail, "backgroundTaskId") !== undefined;

/** Adds the background task that a result says was started, or ends one that it says is over (shapes seen on 2.0.76 to 2.1.329). */
export function applyBackgroundTask(state: SessionState, event: EventOf<"result">, call: OpenCall): void {
	if (OUTPUT_TOOLS.includes(call.tool)) return endFinishedTask(state, event);
	if (event.failed) return;
	const name = call.kind === "shell" ? "Bash" : call.tool;
	const task = Object.hasOwn(TASK_READERS, name) ? TASK_READERS[name]!(event, call) : undefined;
	const id = safeName(task?.id ?? "").slice(0, 64);
	if (!task || !id || state.backgroundTasks.some((other) => other.id === id)) return;
	state.backgroundTasks.push({
		...task,
		id,
		output: truncate(oneLine(safeText(task.output)), 300),
		what: truncate(safeText(task.what), 300),
		...{ at: event.at, order: call.order, ...currentPos(state) },
	});
	trimList(state, "backgroundTasks");
}

const OUTPUT_TOOLS = ["TaskOutput", "BashOutput", "AgentOutputTool"];
const FINISHED = ["completed", "failed", "killed", "stopped", "exited"];
/** The text between `<name>` and `</name>`; `undefined` where there is none. */
const tagText = (name: string, text: string): string | undefined =>
	textBetween(text, `<${name}>`, `</${name}>`)?.trim();
/** Ends the task whose output a call asked for, where the result says that it is over. */
function endFinishedTask(state: SessionState, { text }: EventOf<"result">): void {
	const taskId = tagText("task_id", text) ?? tagText("shell_id", text);
	if (FINISHED.includes(tagText("status", text) ?? ""))
		state.backgroundTasks = state.backgroundTasks.filter(({ id }) => id !== taskId);
}

/** Ends the background task that a call stops, or the job that it deletes. */
export function endStoppedTask(state: SessionState, { tool, input }: EventOf<"call">): void {
	if (!STOP_TOOLS.includes(tool)) return;
	const ids = Object.values(input);
	state.backgroundTasks = state.backgroundTasks.filter(({ id }) => !ids.includes(id));
}

const STOP_TOOLS = ["TaskStop", "KillShell", "KillBash", "CronDelete"];
/** Reads the background task that a tool's result started; `id` is `undefined` where it started none. */
type StartedTaskReader = (
	event: EventOf<"result">,
	call: OpenCall,
) => Pick<BackgroundTask, "kind" | "what" | "output"> & { id: string | undefined };
/** Reads a shell command that goes on in the background; its id stands in the structured result. */
const readShellTask: StartedTaskReader = ({ text, detail }, call) => ({
	id: textProperty(detail, "backgroundTaskId"),
	kind: "background shell",
	what: call.subject,
	output: /Output is being written to: (\S{1,400}?)\.?(?:\s|$)/.exec(text.slice(0, 2_000))?.[1] ?? "",
});
/** Reads an agent that was launched in the background, known by the text's beginning. */
const readAgentTask: StartedTaskReader = ({ text, detail }, { subject }) => {
	// only the start of the text counts: an agent's report may follow
	const isLaunched = /^(?:Async agent launched|[^\n]{0,200}is working in the background)/.test(text);
	const id = isLaunched ? textProperty(detail, "agentId") : undefined;
	return { id, kind: "agent", what: subject, output: textProperty(detail, "outputFile") ?? "" };
};
/** Reads a schedule or a wake-up; one without an id is named by its call. */
const readSchedule: StartedTaskReader = ({ detail }, { input, order }) => {
	const when = textProperty(detail, "humanSchedule") ?? textProperty(input, "cron");
	const prompt = textProperty(input, "prompt") ?? textProperty(input, "reason");
	const id = textProperty(detail, "id") ?? `wake-up at call ${order}`;
	return { id, kind: "schedule", what: [when, prompt].filter(Boolean).join(": "), output: "" };
};

const TASK_READERS: Record<string, StartedTaskReader> = {
	Bash: readShellTask,
	Agent: readAgentTask,
	Task: readAgentTask,
	CronCreate: readSchedule,
	ScheduleWakeup: readSchedule,
};
/** A property of an object that is a text; `undefined` where it is none or empty. */
function textProperty(value: unknown, name: string): string | undefined {
	const property = value !== null && typeof value === "object" ? (value as Record<string, unknown>)[name] : undefined;
	return typeof property === "string" && property ? property : undefined;
}

/** Claude Code's last list of background tasks; when it was given, and how far the transcript was read then. */
export interface TaskListing {
	at: string;
	pos: number;
	tasks: { id: string; kind: string; description: string }[];
}

/**
 * Corrects the state's background tasks by Claude Code's last list of them (Stop's `background_tasks` and `session_crons`): a task that
 * began before the list and is not in it has ended; a listed task that was not seen to begin is added.
 */
export function applyTaskListing(state: SessionState, lastListing: TaskListing): void {
	const { at, pos, tasks } = lastListing;
	endUnlistedTasks(state, lastListing);
	for (const { id, kind: kindName, description } of tasks) {
		const listed = { kind: kindName, description, at };
		const running = state.backgroundTasks.find((other) => other.id === id);
		const kind = KINDS[kindName] ?? "agent";
		if (running) running.listed = listed;
		else state.backgroundTasks.push({ id, kind, what: description, at, output: "", listed, order: state.order, pos });
	}
	trimList(state, "backgroundTasks");
}

/** Ends each task that began before Claude Code's last list (`pos`) and is not in it. Done again after each event that is read later. */
export function endUnlistedTasks(state: SessionState, { pos, tasks }: TaskListing): void {
	const listedIds = new Set(tasks.map(({ id }) => id));
	state.backgroundTasks = state.backgroundTasks.filter((task) => listedIds.has(task.id) || (task.pos ?? 0) >= pos);
}

/** Claude Code's names of the kinds of background tasks (2.1.329), to ours. */
const KINDS: Record<string, BackgroundTask["kind"]> = {
	shell: "background shell",
	local_bash: "background shell",
	schedule: "schedule",
};
