import { safeName } from "../text/safe-head.ts";
import { cut, oneLine, safeText } from "../text/text.ts";
import type { EventOf } from "../transcript/event.ts";
import { between } from "../transcript/spoken.ts";
import { type BackgroundTask, boundList, type OpenCall, placeIn, type SessionState } from "./session-state.ts";

/** Whether a command goes on in the background. Claude Code's structured result says so; what a command prints is not believed. */
export const isBackground = ({ detail }: EventOf<"result">): boolean => field(detail, "backgroundTaskId") !== undefined;

/** Adds the background task that a result says was started, or ends one that it says is over (shapes seen on 2.0.76 to 2.1.329). */
export function applyBackgroundTask(state: SessionState, event: EventOf<"result">, call: OpenCall): void {
	if (OUTPUT_TOOLS.includes(call.tool)) return endFinishedTask(state, event);
	if (event.failed) return;
	const name = call.kind === "shell" ? "Bash" : call.tool;
	const started = Object.hasOwn(STARTERS, name) ? STARTERS[name]!(event, call) : undefined;
	const id = safeName(started?.id ?? "").slice(0, 64);
	if (!started || !id || state.backgroundTasks.some((one) => one.id === id)) return;
	state.backgroundTasks.push({
		...started,
		id,
		output: cut(oneLine(safeText(started.output)), 300),
		what: cut(safeText(started.what), 300),
		at: event.at,
		order: call.order,
		...placeIn(state),
	});
	boundList(state, "backgroundTasks");
}

const OUTPUT_TOOLS = ["TaskOutput", "BashOutput", "AgentOutputTool"];
const FINISHED = ["completed", "failed", "killed", "stopped", "exited"];
const tagText = (name: string, text: string): string | undefined => between(text, `<${name}>`, `</${name}>`)?.trim();
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
type Starter = (
	event: EventOf<"result">,
	call: OpenCall,
) => Pick<BackgroundTask, "kind" | "what" | "output"> & { id: string | undefined };
/** A shell command that goes on in the background; its id stands in the structured result. */
const shell: Starter = ({ text, detail }, call) => ({
	id: field(detail, "backgroundTaskId"),
	kind: "background shell",
	what: call.subject,
	output: /Output is being written to: (\S{1,400}?)\.?(?:\s|$)/.exec(text.slice(0, 2_000))?.[1] ?? "",
});
/** An agent that was launched in the background, known by the text's beginning. */
const agent: Starter = ({ text, detail }, { subject }) => {
	// only the start of the text counts: an agent's report may follow
	const isLaunched = /^(?:Async agent launched|[^\n]{0,200}is working in the background)/.test(text);
	const id = isLaunched ? field(detail, "agentId") : undefined;
	return { id, kind: "agent", what: subject, output: field(detail, "outputFile") ?? "" };
};
/** A schedule or a wake-up; one without an id is named by its call. */
const schedule: Starter = ({ detail }, { input, order }) => {
	const when = field(detail, "humanSchedule") ?? field(input, "cron");
	const prompt = field(input, "prompt") ?? field(input, "reason");
	const id = field(detail, "id") ?? `wake-up at call ${order}`;
	return { id, kind: "schedule", what: [when, prompt].filter(Boolean).join(": "), output: "" };
};

const STARTERS: Record<string, Starter> = {
	Bash: shell,
	Agent: agent,
	Task: agent,
	CronCreate: schedule,
	ScheduleWakeup: schedule,
};
/** A property of an object that is a text; `undefined` where it is none or empty. */
function field(value: unknown, name: string): string | undefined {
	const property = value !== null && typeof value === "object" ? (value as Record<string, unknown>)[name] : undefined;
	return typeof property === "string" && property ? property : undefined;
}

/** Claude Code's last list of background tasks; when it was given, and how far the transcript was read then. */
export interface BackgroundAccount {
	at: string;
	pos: number;
	tasks: { id: string; kind: string; description: string }[];
}

/**
 * Corrects the state's background tasks by Claude Code's last list of them (Stop's `background_tasks` and `session_crons`): a task that
 * began before the list and is not in it has ended; a listed task that was not seen to begin is added.
 */
export function applyBackgroundAccount(state: SessionState, lastListing: BackgroundAccount): void {
	const { at, pos, tasks } = lastListing;
	endUnlisted(state, lastListing);
	for (const { id, kind: kindName, description } of tasks) {
		const listed = { kind: kindName, description, at };
		const running = state.backgroundTasks.find((one) => one.id === id);
		const kind = KINDS[kindName] ?? "agent";
		if (running) running.listed = listed;
		else state.backgroundTasks.push({ id, kind, what: description, at, output: "", listed, order: state.order, pos });
	}
	boundList(state, "backgroundTasks");
}

/** Ends each task that began before Claude Code's last list and is not in it. Done again after each event that is read later. */
export function endUnlisted(state: SessionState, { pos, tasks }: BackgroundAccount): void {
	const listed = new Set(tasks.map(({ id }) => id));
	state.backgroundTasks = state.backgroundTasks.filter((one) => listed.has(one.id) || (one.pos ?? 0) >= pos);
}

/** Claude Code's names of the kinds of background tasks (2.1.329), to ours. */
const KINDS: Record<string, BackgroundTask["kind"]> = {
	shell: "background shell",
	local_bash: "background shell",
	schedule: "schedule",
};
