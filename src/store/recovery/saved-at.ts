import { existsSync, statSync } from "node:fs";
import { writeText } from "../gate.ts";
import { readText } from "../json-file.ts";
import { type LocalTime, localTime } from "../local-time.ts";
import type { Session } from "../session-handle.ts";

/**
 * Keeps the local time of a checkpoint beside it. Asking for the time zone costs the status line, which runs without a
 * just-in-time compiler, 7 ms of processor time at each refresh (Bun 1.4.5); PreCompact has asked already, for its log line.
 */
export function noteSavedAt(session: Session, now: Date): void {
	const { day, time } = localTime(now);
	writeText(session.paths.savedAt, `${day} ${time}\n`, { sync: false });
}

/** When the last checkpoint was saved, for a display: `14:03`, on another day `20 Nov 14:03`; `null` without one. */
export function savedClock(session: Session, now: Date): string | null {
	const { latest, savedAt } = session.paths;
	if (!existsSync(latest)) return null;
	let savedMs: number;
	try {
		savedMs = statSync(latest).mtimeMs;
	} catch {
		return null;
	}
	const local = noted(readText(savedAt, 100)) ?? localTime(new Date(savedMs));
	// what the clock on the wall was ahead of UTC then, it is now
	const ahead = Date.parse(`${local.day}T${local.time}:00Z`) - savedMs;
	const today = new Date(now.getTime() + (Number.isNaN(ahead) ? 0 : ahead)).toISOString().slice(0, 10);
	if (today === local.day) return local.time;
	const [, month, day] = local.day.split("-").map(Number);
	return `${day} ${MONTHS[month! - 1]} ${local.time}`;
}

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

function noted(text: string | null): LocalTime | null {
	const match = /^(\d{4}-(?:0[1-9]|1[0-2])-\d\d) ([0-2]\d:[0-5]\d)\n$/.exec(text ?? "");
	return match && { day: match[1]!, time: match[2]! };
}
