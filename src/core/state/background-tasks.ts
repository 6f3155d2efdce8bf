import { safeName } from "../text/safe-head.ts";
import { cut, oneLine, safeText } from "../text/text.ts";
import type { EventOf } from "../transcript/event.ts";
import { between } from "../transcript/spoken.ts";
import { type BackgroundTask, boundList, type OpenCall, placeIn, type SessionState } from "./session-state.ts";

/** Whether a command goes on in the background: Claude Code says so itself, what a command prints is not believed. */
export const isBackground = ({ detail }: EventOf<"result">): boolean => field(detail, "backgroundTaskId") !== undefined;

/** Notes what a result says to go on in the background (shapes seen on 2.0.76 to 2.1.329). */
export function applyBackgroundTask(state: SessionState, event: EventOf<"result">, call: OpenCall): void {
	if (ASKS_OUTPUT.includes(call.tool)) return endWhatIsOver(state, event);
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

const ASKS_OUTPUT = ["TaskOutput", "BashOutput", "AgentOutputTool"];
const OVER = ["completed", "failed", "killed", "stopped", "exited"];
const tagText = (name: string, text: string): string | undefined => between(text, `<${name}>`, `</${name}>`)?.trim();

/** Who asks for a task's output is told where that has ended. */
function endWhatIsOver(state: SessionState, { text }: EventOf<"result">): void {
	const over = tagText("task_id", text) ?? tagText("shell_id", text);
	if (OVER.includes(tagText("status", text) ?? ""))
		state.backgroundTasks = state.backgroundTasks.filter(({ id }) => id !== over);
}

/** A call that stops a task or deletes a job. */
export function endsBackgroundTask(state: SessionState, { tool, input }: EventOf<"call">): void {
	if (!STOPS.includes(tool)) return;
	const ids = Object.values(input);
	state.backgroundTasks = state.backgroundTasks.filter(({ id }) => !ids.includes(id));
}

const STOPS = ["TaskStop", "KillShell", "KillBash", "CronDelete"];

type Starter = (
	event: EventOf<"result">,
	call: OpenCall,
) => Pick<BackgroundTask, "kind" | "what" | "output"> & { id: string | undefined };

const shell: Starter = ({ text, detail }, call) => ({
	id: field(detail, "backgroundTaskId"),
	kind: "background shell",
	what: call.subject,
	output: /Output is being written to: (\S{1,400}?)\.?(?:\s|$)/.exec(text.slice(0, 2_000))?.[1] ?? "",
});

const agent: Starter = ({ text, detail }, { subject }) => {
	// at the start only: behind it stands what an agent reported
	const isLaunched = /^(?:Async agent launched|[^\n]{0,200}is working in the background)/.test(text);
	const id = isLaunched ? field(detail, "agentId") : undefined;
	return { id, kind: "agent", what: subject, output: field(detail, "outputFile") ?? "" };
};

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

function field(value: unknown, name: string): string | undefined {
	const found = value !== null && typeof value === "object" ? (value as Record<string, unknown>)[name] : undefined;
	return typeof found === "string" && found ? found : undefined;
}

/** What Claude Code listed as running, when, and how far the transcript was read then. */
export interface BackgroundAccount {
	at: string;
	pos: number;
	tasks: { id: string; kind: string; description: string }[];
}

/**
 * Corrects the running background tasks by Claude Code's own account (Stop's `background_tasks` and `session_crons`): what began
 * before it and is not listed has ended; what is listed and was not seen to begin is added.
 */
export function applyBackgroundAccount(state: SessionState, account: BackgroundAccount): void {
	const { at, pos, tasks } = account;
	endUnlisted(state, account);
	for (const { id, kind: told, description } of tasks) {
		const listed = { kind: told, description, at };
		const known = state.backgroundTasks.find((one) => one.id === id);
		const kind = KINDS[told] ?? "agent";
		if (known) known.listed = listed;
		else state.backgroundTasks.push({ id, kind, what: description, at, output: "", listed, order: state.order, pos });
	}
	boundList(state, "backgroundTasks");
}

/** What began before the account and is not listed has ended. Also for what the transcript tells behind it. */
export function endUnlisted(state: SessionState, { pos, tasks }: BackgroundAccount): void {
	const listed = new Set(tasks.map(({ id }) => id));
	state.backgroundTasks = state.backgroundTasks.filter((one) => listed.has(one.id) || (one.pos ?? 0) >= pos);
}

/** Claude Code's names of what runs (2.1.329) to ours. */
const KINDS: Record<string, BackgroundTask["kind"]> = {
	shell: "background shell",
	local_bash: "background shell",
	schedule: "schedule",
};
