import { cut, oneLine, safeText } from "../text/text.ts";
import type { EventOf } from "../transcript/event.ts";
import { type BackgroundTask, keepLast, type OpenCall, type SessionState } from "./session-state.ts";
import { withoutQuotes } from "./shell-text.ts";

type Result = EventOf<"result">;

/** Notes what a result says to go on in the background (shapes seen on 2.1.329; the text serves older versions). */
export function applyBackgroundTask(state: SessionState, event: Result, call: OpenCall): void {
	if (ASKS_OUTPUT.test(call.tool)) return applyOutput(state, event);
	if (event.failed) return;
	if (call.tool === "Bash") endKilled(state, withoutQuotes(call.subject, true));
	const started = startedBy(event, call);
	if (!started || state.backgroundTasks.some(({ id }) => id === started.id)) return;
	const what = cut(safeText(started.what), 300);
	// the same command again: two of them seldom run side by side
	const isAgain = (one: BackgroundTask): boolean => one.kind === "detached process" && one.what === what;
	state.backgroundTasks = state.backgroundTasks.filter((one) => !isAgain(one));
	const output = cut(oneLine(safeText(started.output)), 300);
	state.backgroundTasks.push({ ...started, output, what, at: event.at, order: call.order });
	keepLast(state, "backgroundTasks");
}

const ASKS_OUTPUT = /^(?:TaskOutput|BashOutput|AgentOutputTool)$/;

/** What was asked of a task tells whether it goes on. */
function applyOutput(state: SessionState, { text, detail }: Result): void {
	const asked = /<(?:task_id|shell_id)>\s*([\w-]+)\s*</.exec(text)?.[1] ?? field(detail, "task_id");
	if (/<status>\s*(?:completed|failed|killed|stopped|exited)\s*</.test(text))
		state.backgroundTasks = state.backgroundTasks.filter(({ id }) => id !== asked);
}

/** A call that stops a task or deletes a job. */
export function endsBackgroundTask(state: SessionState, { tool, input }: EventOf<"call">): void {
	if (!/^(TaskStop|KillShell|KillBash|CronDelete)$/.test(tool)) return;
	const ids = Object.values(input);
	state.backgroundTasks = state.backgroundTasks.filter(({ id }) => !ids.includes(id));
}

type Started = Pick<BackgroundTask, "id" | "kind" | "what" | "output">;

function startedBy(event: Result, call: OpenCall): Started | null {
	if (call.tool === "Bash") return shell(event, call) ?? detached(call);
	if (call.tool === "Agent" || call.tool === "Task") return agent(event, call);
	return call.tool === "CronCreate" || call.tool === "ScheduleWakeup" ? schedule(event, call) : null;
}

/** What a command prints is believed only where Claude Code was asked to leave it running, or says so itself. */
function shell({ detail, text }: Result, { background, subject: what }: OpenCall): Started | null {
	const printed = background ? /^Command [\w ]*running in background with ID: ([\w-]+)/.exec(text)?.[1] : undefined;
	const id = idOf(field(detail, "backgroundTaskId") ?? printed);
	const output = /Output is being written to: (\S{1,400}?)\.?(?:\s|$)/.exec(text.slice(0, 2_000))?.[1] ?? "";
	return id ? { id, kind: "background shell", what, output } : null;
}

/** Left running by the shell itself, so that nobody reports its end. What the command itself waits for or ends is over. */
function detached({ subject: what, order }: OpenCall): Started | null {
	const bare = withoutQuotes(what);
	if (!DETACHES.test(bare) || /(?:^|[&;\n]) *(?:wait\b|kill [^&;\n]{0,80}[$%])/.test(bare)) return null;
	return { id: `started at call ${order}`, kind: "detached process", what, output: "" };
}
const DETACHES = /\b(?:nohup|setsid)\s|[^&>|<]&[^\S\n]*(?:$|\n|(?:;\s*)?(?:sleep|disown|echo|curl)\b)/;

/** A detached process ends by `pkill` or `killall` of words in its command; which one `kill` ends nobody can tell, so all do. */
function endKilled(state: SessionState, command: string): void {
	for (const [, quoted, word] of command.matchAll(KILLS)) {
		const named = quoted?.slice(1, -1) || word || "";
		state.backgroundTasks = state.backgroundTasks.filter(
			({ kind, what }) => kind !== "detached process" || !what.includes(named),
		);
	}
}
const KILLS =
	/(?:^|[;&|\n]|xargs) *(?:sudo )?(?:(?:pkill|killall)(?: -\S+)* ("[^"]+"|'[^']+'|)([^\s'"]*)|kill\b|fuser -k)/g;

function agent({ detail, text }: Result, { subject: what }: OpenCall): Started | null {
	// at the start only: behind it stands what an agent reported
	if (!/^(?:Async agent launched|[^\n]{0,200}is working in the background)/.test(text)) return null;
	const id = idOf(field(detail, "agentId") ?? /agentId: ([\w-]+)/.exec(text)?.[1]);
	return id ? { id, kind: "agent", what, output: field(detail, "outputFile") ?? "" } : null;
}

function schedule({ detail, text }: Result, { input, order }: OpenCall): Started {
	const id = idOf(field(detail, "id") ?? /job ([\w-]+)/.exec(text)?.[1]) ?? `wake-up at call ${order}`;
	const when = field(detail, "humanSchedule") ?? field(input, "cron");
	const prompt = field(input, "prompt") ?? field(input, "reason");
	return { id, kind: "schedule", what: [when, prompt].filter(Boolean).join(": "), output: "" };
}

const idOf = (told: string | undefined): string | undefined => (told && /^[\w-]{1,64}$/.test(told) ? told : undefined);

function field(value: unknown, name: string): string | undefined {
	const found = value !== null && typeof value === "object" ? (value as Record<string, unknown>)[name] : undefined;
	return typeof found === "string" && found ? found : undefined;
}

/** What Claude Code listed as running, and when. */
export interface BackgroundAccount {
	at: string;
	tasks: { id: string; kind: string; description: string }[];
}

/**
 * Corrects the running background tasks by Claude Code's own account (Stop's `background_tasks` and `session_crons`): what began
 * before it and is not listed has ended; what is listed and was not seen to begin is added. Processes a shell left running by
 * itself are none of its business.
 */
export function applyBackgroundAccount(state: SessionState, account: BackgroundAccount): void {
	const { at, tasks } = account;
	endUnlisted(state, account);
	for (const { id, kind, description } of tasks) {
		const listed = { kind, description, at };
		const known = state.backgroundTasks.find((one) => one.id === id);
		if (known) known.listed = listed;
		else {
			const about = { id, kind: KINDS[kind] ?? "agent", what: description, output: "" };
			state.backgroundTasks.push({ ...about, at, listed, order: state.order });
		}
	}
	keepLast(state, "backgroundTasks");
}

/** What began before the account and is not listed has ended. Also for what the transcript tells behind it. */
export function endUnlisted(state: SessionState, { at, tasks }: BackgroundAccount): void {
	const listed = new Set(tasks.map(({ id }) => id));
	state.backgroundTasks = state.backgroundTasks.filter(
		(one) => one.kind === "detached process" || listed.has(one.id) || one.at === "" || one.at > at,
	);
}

/** Claude Code's names of what runs (2.1.329) to ours. */
const KINDS: Record<string, BackgroundTask["kind"]> = {
	shell: "background shell",
	local_bash: "background shell",
	schedule: "schedule",
};
