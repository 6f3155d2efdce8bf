import { applyBackgroundAccount } from "../state/background-account.ts";
import type { BackgroundTask } from "../state/session-state.ts";
import { listedTask } from "./project.ts";
import { type EndedTask, type SessionSnapshot, seconds } from "./session-context.ts";

const MAX_ENDED = 60;

/** Notes what of the work that ran before is over now. */
export function noteEnded(
	snapshot: SessionSnapshot,
	before: readonly BackgroundTask[],
	at: number,
	status: EndedTask["status"] = "ended",
): void {
	const running = new Set(snapshot.state.backgroundTasks.map(({ id }) => id));
	const over = before.filter(({ id }) => !running.has(id));
	if (over.length === 0 && !snapshot.ended_tasks.some(({ id }) => running.has(id))) return;
	const known = snapshot.ended_tasks.filter(({ id }) => !running.has(id));
	const ended = over.map((one) => ({ ...listedTask(one), status, seen_at: at }));
	snapshot.ended_tasks = [...known, ...ended].slice(-MAX_ENDED);
}

/** What Claude Code lists as running at one moment: what is not listed has ended. */
export function takeAccount(snapshot: SessionSnapshot, account: NonNullable<SessionSnapshot["account"]>): void {
	const before = [...snapshot.state.backgroundTasks];
	const { at, tasks } = account;
	snapshot.account = { at, tasks: tasks.map(({ id, kind, description }) => ({ id, kind, description })) };
	applyBackgroundAccount(snapshot.state, account);
	noteEnded(snapshot, before, seconds(at));
}

/** The process is going: its shells and agents go with it; schedules come back with a resume, detached processes stay. */
export function interrupt(snapshot: SessionSnapshot, now: number): void {
	const before = snapshot.state.backgroundTasks;
	snapshot.state.backgroundTasks = before.filter(({ kind }) => kind === "schedule" || kind === "detached process");
	noteEnded(snapshot, before, now, "interrupted");
}
