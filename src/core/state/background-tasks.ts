import { cut, oneLine, safeText } from "../text/text.ts";
import type { EventOf } from "../transcript/event.ts";
import { between } from "../transcript/spoken.ts";
import { type BackgroundTask, boundList, type OpenCall, placeIn, type SessionState } from "./session-state.ts";

type Result = EventOf<"result">;

/** Whether a command goes on in the background: its result says that it has begun. */
export const isBackground = ({ background }: OpenCall, { detail }: Result): boolean =>
	background === true || field(detail, "backgroundTaskId") !== undefined;

/** Notes what a result says to go on in the background (shapes seen on 2.1.329; the text serves older versions). */
export function applyBackgroundTask(state: SessionState, event: Result, call: OpenCall): void {
	if (ASKS_OUTPUT.includes(call.tool)) return endWhatIsOver(state, event);
	if (event.failed) return;
	const name = call.kind === "shell" ? "Bash" : call.tool;
	const started = Object.hasOwn(STARTERS, name) && STARTERS[name]!(event, call);
	if (!started || state.backgroundTasks.some(({ id }) => id === started.id)) return;
	state.backgroundTasks.push({
		...started,
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
function endWhatIsOver(state: SessionState, { text, detail }: Result): void {
	const over = tagText("task_id", text) ?? tagText("shell_id", text) ?? field(detail, "task_id");
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

type Starter = (event: Result, call: OpenCall) => Pick<BackgroundTask, "id" | "kind" | "what" | "output"> | null;

const isTaskId = (id: string | undefined): id is string => id !== undefined && /^[\w-]{1,64}$/.test(id);

const idBehind = (word: string, text: string): string | undefined =>
	/^[\w-]{1,64}\b/.exec(text.split(word, 2)[1] ?? "")?.[0];

/** What a command prints is believed only where Claude Code was asked to leave it running, or says so itself. */
const shell: Starter = ({ text, detail }, call) => {
	const printed = call.background && /^Command (?:\w+ )*running in background with ID: /.test(text);
	const id = field(detail, "backgroundTaskId") ?? (printed ? idBehind(" with ID: ", text) : undefined);
	if (!isTaskId(id)) return null;
	const output = /Output is being written to: (\S{1,400}?)\.?(?:\s|$)/.exec(text.slice(0, 2_000))?.[1] ?? "";
	return { id, kind: "background shell", what: call.subject, output };
};

const agent: Starter = ({ text, detail }, { subject }) => {
	// at the start only: behind it stands what an agent reported
	if (!/^(?:Async agent launched|[^\n]{0,200}is working in the background)/.test(text)) return null;
	const id = field(detail, "agentId") ?? idBehind("agentId: ", text);
	return isTaskId(id) ? { id, kind: "agent", what: subject, output: field(detail, "outputFile") ?? "" } : null;
};

const schedule: Starter = ({ text, detail }, { input, order }) => {
	const told = field(detail, "id") ?? idBehind("job ", text);
	const id = isTaskId(told) ? told : `wake-up at call ${order}`;
	const when = field(detail, "humanSchedule") ?? field(input, "cron");
	const prompt = field(input, "prompt") ?? field(input, "reason");
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
