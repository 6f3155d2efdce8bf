import { InvalidArgumentError } from "commander";
import { isSessionId } from "../../store/paths.ts";

/** `--session`: it becomes part of a path. */
export function sessionArgument(value: string): string {
	if (!isSessionId(value)) throw new InvalidArgumentError("a session id has 1 to 64 letters, digits, _ and -");
	return value;
}

/** `--goal` of a task that begins. */
export function goalArgument(value: string): string {
	if (!value.trim()) throw new InvalidArgumentError("it must be a text that is not empty");
	return value;
}

/** `--pressure`, from 0.0 to 1.0. */
export function shareArgument(value: string): number {
	const share = Number(value);
	if (value.trim() === "" || !(share >= 0 && share <= 1))
		throw new InvalidArgumentError("it must be a number from 0.0 to 1.0");
	return share;
}

/** `30m`, `2h`, `90s` in milliseconds. */
export function durationArgument(value: string): number {
	const [, count, unit] = /^(\d{1,6})([smh])$/.exec(value) ?? [];
	if (!count || Number(count) === 0) throw new InvalidArgumentError("it must be a time like 90s, 30m or 2h");
	return Number(count) * { s: 1_000, m: 60_000, h: 3_600_000 }[unit as "s" | "m" | "h"];
}
