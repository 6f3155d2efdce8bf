import { libc } from "./libc.ts";

/** A moment on the clock of whoever reads the log: `YYYY-MM-DD` and `HH:MM`. */
export interface LocalTime {
	day: string;
	time: string;
}

/**
 * Local time from the C library. JavaScript's own local getters load the time zones of the world, 6 to 9 ms of a hook
 * (measured on Bun 1.4.5); where the C library can't be asked they answer after all.
 */
export function localTime(now: Date): LocalTime {
	try {
		// struct tm begins with int: sec, min, hour, day of month, month from 0, years since 1900
		const tm = new Int32Array(16);
		const seconds = BigInt64Array.of(BigInt(Math.floor(now.getTime() / 1000)));
		libc({ localtime_r: { args: ["ptr", "ptr"], returns: "ptr" } }).localtime_r(seconds, tm);
		const [, minute, hour, day, month, year] = tm as unknown as [number, number, number, number, number, number];
		if (day > 0) return format(year + 1900, month + 1, day, hour, minute);
	} catch {
		// below
	}
	return format(now.getFullYear(), now.getMonth() + 1, now.getDate(), now.getHours(), now.getMinutes());
}

const format = (year: number, month: number, day: number, hour: number, minute: number): LocalTime => ({
	day: `${String(year).padStart(4, "0")}-${two(month)}-${two(day)}`,
	time: `${two(hour)}:${two(minute)}`,
});

const two = (value: number): string => String(value).padStart(2, "0");
