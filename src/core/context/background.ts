import { endsFlight, foldFlight, portsIn } from "../state/background-tasks.ts";
import { emptyState, type Flight, type OpenCall } from "../state/session-state.ts";
import type { TranscriptEvent } from "../transcript/event.ts";
import { type BackgroundTask, type SessionContext, seconds } from "./session-context.ts";

const MAX_TASKS = 60;
const KINDS: Record<Flight["kind"], string> = {
	"background shell": "shell",
	"detached process": "detached",
	agent: "subagent",
	schedule: "schedule",
};

/** Notes background work a transcript tells of: started by a result, ended by a notice or a call that stops it. */
export function foldBackground(context: SessionContext, event: TranscriptEvent, call?: OpenCall): void {
	if (event.kind === "ended") return end(context, (task) => task.id === event.id, seconds(event.at));
	if (event.kind !== "call" && !(event.kind === "result" && call)) return;
	// by the state's own reading of these tools: what it starts, and what it takes off its list
	const running = context.background_tasks.filter(({ status }) => status === "running");
	const draft = { ...emptyState(), inFlight: running.map(asFlight) };
	if (event.kind === "call") endsFlight(draft, event);
	else foldFlight(draft, event, { ...call!, order: context.tool_stats.total_calls });
	const left = new Set(draft.inFlight.map(({ id }) => id));
	end(context, ({ id }) => !left.has(id), seconds(event.at));
	for (const { id, kind, what, output } of draft.inFlight)
		if (!context.background_tasks.some((task) => task.id === id))
			add(context, {
				id,
				kind: KINDS[kind] ?? kind,
				description: what,
				status: "running",
				output,
				started_at: seconds(event.at),
				seen_at: seconds(event.at),
			});
}

/** What Claude Code lists as running at one moment: what is not listed has ended. */
export function takeSnapshot(context: SessionContext, seen: readonly BackgroundTask[], now: number): void {
	const listed = new Map(seen.map((task) => [task.id, task]));
	// what a shell left running by itself Claude Code does not know
	end(context, (task) => task.kind !== "detached" && !listed.has(task.id), now);
	for (const task of listed.values()) {
		const known = context.background_tasks.find(({ id }) => id === task.id);
		if (known)
			Object.assign(known, {
				kind: task.kind,
				description: task.description || known.description,
				status: "running",
				seen_at: now,
			});
		else add(context, { ...task, started_at: now, seen_at: now });
	}
}

/** The process is going: its shells and agents go with it; schedules come back with a resume, detached processes stay. */
export function interrupt(context: SessionContext, now: number): void {
	for (const task of context.background_tasks)
		if (task.status === "running" && task.kind !== "schedule" && task.kind !== "detached")
			Object.assign(task, { status: "interrupted", seen_at: now });
}

function end(context: SessionContext, which: (task: BackgroundTask) => boolean, now: number): void {
	for (const task of context.background_tasks)
		if (task.status === "running" && which(task)) Object.assign(task, { status: "ended", seen_at: now });
}

/** Of too many the oldest that ended goes first. */
function add(context: SessionContext, task: BackgroundTask): void {
	const tasks = context.background_tasks;
	tasks.push(task);
	if (tasks.length <= MAX_TASKS) return;
	const at = tasks.findIndex(({ status }) => status !== "running");
	tasks.splice(Math.max(0, at), 1);
}

const asFlight = ({ id, kind, description, output }: BackgroundTask): Flight => ({
	id,
	kind: kind === "detached" ? "detached process" : "background shell",
	what: description,
	ports: portsIn(description),
	at: "",
	output,
	order: 0,
});
