import { cut, safeText } from "../text.ts";
import type { TranscriptEvent } from "../transcript/event.ts";
import type { Flight, OpenCall, SessionState } from "./session-state.ts";

const MAX_FLIGHTS = 40;

type Result = Extract<TranscriptEvent, { kind: "result" }>;

/** Notes what a result says to go on in the background (shapes seen on 2.1.329; the text serves older versions). */
export function foldFlight(state: SessionState, event: Result, call: OpenCall): void {
	if (ASKS_OUTPUT.test(call.tool)) return foldOutput(state, event);
	if (event.failed) return;
	if (call.tool === "Bash") endKilled(state, call.subject);
	const started = shell(event, call) ?? detached(call) ?? agent(event, call) ?? schedule(event, call);
	if (!started || state.inFlight.some(({ id }) => id === started.id)) return;
	const ports = call.tool === "Bash" ? portsIn(`${call.subject}\n${event.text.slice(0, 4_000)}`) : [];
	state.inFlight.push({
		...started,
		what: cut(safeText(started.what), 300),
		...(ports.length ? { ports } : {}),
		at: event.at,
		order: call.order,
	});
	if (state.inFlight.length > MAX_FLIGHTS) state.inFlight.shift();
}

const ASKS_OUTPUT = /^(?:TaskOutput|BashOutput|AgentOutputTool)$/;

/** What was asked of a task tells whether it goes on, and on which port it listens. */
function foldOutput(state: SessionState, event: Result): void {
	const id = /<(?:task_id|shell_id)>\s*([\w-]+)\s*</.exec(event.text)?.[1] ?? field(event.detail, "task_id");
	const flight = id && state.inFlight.find((one) => one.id === id);
	if (!flight) return;
	const status = /<status>\s*(\w+)\s*</.exec(event.text)?.[1];
	if (status && /^(?:completed|failed|killed|stopped|exited)$/.test(status))
		state.inFlight = state.inFlight.filter((one) => one !== flight);
	const ports = new Set([...(flight.ports ?? []), ...portsIn(event.text.slice(0, 20_000))]);
	if (ports.size) flight.ports = [...ports].slice(0, 6);
}

/** Ports a command was given or a server says it listens on. */
export function portsIn(text: string): string[] {
	const found = new Set<string>();
	for (const match of text.matchAll(PORT)) {
		const port = match.slice(1).find(Boolean)!;
		if (Number(port) >= 80 && Number(port) <= 65_535) found.add(port);
	}
	return [...found].slice(0, 6);
}
const PORT =
	/(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1?\]):(\d{2,5})\b|--port[ =](\d{2,5})\b|\bPORT=(\d{2,5})\b|\bhttp\.server (\d{2,5})\b|\b(?:listening|running|started|serving)\b.{0,40}?\bport:? (\d{2,5})\b/gi;

/** A call that stops a task or deletes a job. */
export function endsFlight(state: SessionState, { tool, input }: Extract<TranscriptEvent, { kind: "call" }>): void {
	if (!/^(TaskStop|KillShell|KillBash|CronDelete)$/.test(tool)) return;
	const ids = Object.values(input);
	state.inFlight = state.inFlight.filter(({ id }) => !ids.includes(id));
}

type Started = Pick<Flight, "id" | "kind" | "what" | "output">;

function shell(event: Result, call: OpenCall): Started | null {
	if (call.tool !== "Bash") return null;
	const id =
		field(event.detail, "backgroundTaskId") ??
		/^Command (?:is |was )?(?:\w+ )*running in background with ID: ([\w-]+)/.exec(event.text)?.[1];
	const output = /Output is being written to: (\S+?)\.?(?:\s|$)/.exec(event.text)?.[1] ?? "";
	return id ? { id, kind: "background shell", what: call.subject, output } : null;
}

/** Left running by the shell itself, so that nobody reports its end. */
function detached(call: OpenCall): Started | null {
	if (call.tool !== "Bash" || !DETACHES.test(call.subject)) return null;
	return { id: `started at call ${call.order}`, kind: "detached process", what: call.subject, output: "" };
}
const DETACHES =
	/\b(?:nohup|setsid)\s|[^&>|]\s*&\s*(?:$|\n|;?\s*(?:sleep|disown|echo)\b)|\bdocker(?:-|\s+)compose\b[^\n;|&]*\bup\b[^\n;|&]*\s-d\b|\bdocker run\b[^\n;|&]*\s-d\b/;

/** A detached process ends by a command that names it. */
function endKilled(state: SessionState, command: string): void {
	if (!/\b(?:kill|pkill|killall|fuser -k|docker (?:stop|rm)|compose\b.*\b(?:down|stop))\b/.test(command)) return;
	const words = new Set(command.match(/[\w./-]{4,}/g) ?? []);
	state.inFlight = state.inFlight.filter(
		({ kind, what, ports }) =>
			kind !== "detached process" ||
			!(
				/\$!|%\d|\bjobs\b/.test(command) ||
				ports?.some((port) => new RegExp(`\\b${port}\\b`).test(command)) ||
				(what.match(/[\w./-]{4,}/g) ?? []).some((word) => !COMMON.has(word) && words.has(word))
			),
	);
}
const COMMON = new Set(["nohup", "setsid", "sleep", "echo", "null", "/dev/null", "2>&1"]);

function agent(event: Result, call: OpenCall): Started | null {
	if (call.tool !== "Agent" && call.tool !== "Task") return null;
	if (!/^Async agent launched|is working in the background/m.test(event.text)) return null;
	const id = field(event.detail, "agentId") ?? /agentId: ([\w-]+)/.exec(event.text)?.[1];
	return id ? { id, kind: "agent", what: call.subject, output: field(event.detail, "outputFile") ?? "" } : null;
}

function schedule(event: Result, call: OpenCall): Started | null {
	if (call.tool !== "CronCreate" && call.tool !== "ScheduleWakeup") return null;
	const id = field(event.detail, "id") ?? /job ([\w-]+)/.exec(event.text)?.[1] ?? `wake-up at call ${call.order}`;
	const when = field(event.detail, "humanSchedule") ?? field(call.input, "cron") ?? "";
	const prompt = field(call.input, "prompt") ?? field(call.input, "reason") ?? "";
	return { id, kind: "schedule", what: [when, prompt].filter(Boolean).join(": "), output: "" };
}

function field(value: unknown, name: string): string | undefined {
	const found = value !== null && typeof value === "object" ? (value as Record<string, unknown>)[name] : undefined;
	return typeof found === "string" && found ? found : undefined;
}
