import type { Cycle } from "../core/session/cycle.ts";

/**
 * A moment on the clock of whoever reads it: `YYYY-MM-DD` and `HH:MM`. Its first call loads the time zones of the world, 6 to 9 ms
 * (measured on Bun 1.4.5).
 */
export function localTime(now: Date): { day: string; time: string } {
	const local = new Date(now.getTime() - now.getTimezoneOffset() * 60_000).toISOString();
	return { day: local.slice(0, 10), time: local.slice(11, 16) };
}

/** Keeps when a checkpoint was saved, on the reader's clock too: the status line shows it at each refresh, and asks for no time zone. */
export function noteSaved(cycle: Cycle, now: Date): void {
	const { day, time } = localTime(now);
	cycle.saved = { local: `${day} ${time}`, ms: now.getTime() };
}

/** When the last checkpoint was saved, for a display: `14:03`, on another day `20 Nov 14:03`; `null` without one. */
export function savedClock({ saved }: Pick<Cycle, "saved">, now: Date): string | null {
	const [day = "", time = ""] = saved?.local.split(" ") ?? [];
	if (!saved || !time) return null;
	// what the clock on the wall was ahead of UTC then, it is now
	const ahead = Date.parse(`${day}T${time}:00Z`) - saved.ms;
	if (new Date(now.getTime() + ahead).toISOString().slice(0, 10) === day) return time;
	const [, month, date] = day.split("-").map(Number);
	return `${date} ${MONTHS[month! - 1]} ${time}`;
}

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
