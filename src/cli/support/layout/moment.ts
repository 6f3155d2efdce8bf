import { localTime } from "../../../store/local-time.ts";

/** A moment for people, on the clock of whoever reads: `2026-01-31 09:05`. Takes ISO text or Unix seconds. */
export function moment(at: string | number): string {
	const ms = typeof at === "number" ? at * 1000 : Date.parse(at);
	if (!(ms > 0 && ms < 8.64e15)) return "an unknown time";
	const { day, time } = localTime(new Date(ms));
	return `${day} ${time}`;
}

/** A moment for programs: ISO 8601 in UTC, of Unix seconds; `null` where none is known. */
export function isoOf(seconds: number | null): string | null {
	return seconds !== null && seconds > 0 && seconds < 8.64e12 ? new Date(seconds * 1000).toISOString() : null;
}
