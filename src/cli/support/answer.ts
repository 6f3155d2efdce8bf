import { localTime } from "../../store/local-time.ts";
import type { Answer } from "./command.ts";
import type { Io } from "./io.ts";
import { say } from "./text.ts";

/** Prints what a command gives, as it was asked for. */
export function printAnswer({ json, text }: Answer, given: { json?: boolean }, io: Io): void {
	if (given.json) io.out(jsonText(json));
	else if (typeof text === "function") text();
	else for (const line of [text].flat()) say(line, io);
}

/**
 * An answer for programs. One convention for all commands: keys in snake_case, as Claude Code's own payloads to hooks
 * have them; times in ISO 8601.
 */
export const jsonText = (value: unknown): string => JSON.stringify(forPrograms(value), null, 2);

/** Below these keys names are data: tools, models, calls. */
export const DATA_KEYS = ["by_tool", "token_usage", "input", "payload", "config"];

/** On disk these hold Unix seconds. */
const TIMES = new Set("at created_at updated_at timestamp started_at seen_at captured_at from to".split(" "));

/** Gives an answer as programs read it: keys in snake_case. */
function forPrograms(value: unknown, key = "", isData = false): unknown {
	if (typeof value === "number" && TIMES.has(key)) return isoOf(value);
	if (Array.isArray(value)) return value.map((one) => forPrograms(one, "", isData));
	// (what a tool was given is nobody's to change)
	if (value === null || typeof value !== "object" || key === "input") return value;
	const entries = Object.entries(value).map(([given, one]) => {
		const name = isData ? given : snake(given);
		return [name, forPrograms(one, name, isData || DATA_KEYS.includes(name))];
	});
	return Object.fromEntries(entries);
}

const snake = (key: string): string =>
	key
		.replace(/([a-z0-9])([A-Z])/g, "$1_$2")
		.replaceAll(" ", "_")
		.toLowerCase();

/** A moment for people, on the clock of whoever reads: `2026-01-31 09:05`. Takes ISO text or Unix seconds. */
export function moment(at: string | number): string {
	const ms = typeof at === "number" ? at * 1000 : Date.parse(at);
	if (!(ms > 0 && ms < 8.64e15)) return "an unknown time";
	const { day, time } = localTime(new Date(ms));
	return `${day} ${time}`;
}

/** A moment for programs: ISO 8601 in UTC, of Unix seconds; `null` where none is known. */
const isoOf = (seconds: number): string | null =>
	seconds > 0 && seconds < 8.64e12 ? new Date(seconds * 1000).toISOString() : null;

/** Gives the items one by one, and shows at a terminal how far it is. */
export function* watchProgress<T>(all: readonly T[], what: string, { progress }: Io): Generator<T> {
	try {
		for (const [i, one] of all.entries()) {
			progress?.(`${what}: ${i + 1} of ${all.length}`);
			yield one;
		}
	} finally {
		progress?.("");
	}
}

/** Asks before a change, unless told not to (`yes`). `false`: nothing is to be done, which was said; 2 where nobody can be asked. */
export async function isConfirmed(
	question: string,
	yes: boolean | undefined,
	io: Io,
	{ done = "deleted", how = "To do it add --yes" } = {},
): Promise<boolean> {
	if (yes) return true;
	const isAsked = io.interactive;
	if (isAsked && (await io.ask(`${question} [y/N] `))) return true;
	io.err(isAsked ? `Nothing was ${done}.` : `Nothing was ${done}: there is no terminal to ask on. ${how}`);
	if (!isAsked) io.exit(2);
	return false;
}
