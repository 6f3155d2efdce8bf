import { cut, safeText } from "../text.ts";
import type { TranscriptEvent } from "../transcript/event.ts";
import type { Flight, OpenCall, SessionState } from "./session-state.ts";

const MAX_FLIGHTS = 40;

type Result = Extract<TranscriptEvent, { kind: "result" }>;

/** Notes what a result says to go on in the background (shapes seen on 2.1.329; the text serves older versions). */
export function foldFlight(state: SessionState, event: Result, call: OpenCall): void {
	if (event.failed) return;
	const started = shell(event, call) ?? agent(event, call) ?? schedule(event, call);
	if (!started || state.inFlight.some(({ id }) => id === started.id)) return;
	state.inFlight.push({ ...started, what: cut(safeText(started.what), 300), at: event.at, order: call.order });
	if (state.inFlight.length > MAX_FLIGHTS) state.inFlight.shift();
}

/** A call that stops a task or deletes a job. */
export function endsFlight(state: SessionState, { tool, input }: Extract<TranscriptEvent, { kind: "call" }>): void {
	if (!/^(TaskStop|KillShell|KillBash|CronDelete)$/.test(tool)) return;
	const ids = Object.values(input);
	state.inFlight = state.inFlight.filter(({ id }) => !ids.includes(id));
}

type Started = Pick<Flight, "id" | "kind" | "what" | "output">;

function shell(event: Result, call: OpenCall): Started | null {
	if (call.tool !== "Bash") return null;
	const id = field(event.detail, "backgroundTaskId") ?? /running in background with ID: ([\w-]+)/.exec(event.text)?.[1];
	const output = /Output is being written to: (\S+?)\.?(?:\s|$)/.exec(event.text)?.[1] ?? "";
	return id ? { id, kind: "background shell", what: call.subject, output } : null;
}

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
