import { localTime } from "../../store/local-time.ts";
import type { Answer } from "./command.ts";
import type { Io } from "./io.ts";
import { say } from "./text.ts";

/** Prints a command's answer: as JSON with `--json`, else as text. */
export function printAnswer({ json, text }: Answer, options: { json?: boolean }, io: Io): void {
	if (options.json) io.out(jsonText(json));
	else if (typeof text === "function") text();
	else for (const line of [text].flat()) say(line, io);
}

/** Gives an answer as JSON for programs: keys in snake_case, as in Claude Code's own payloads to hooks; times in ISO 8601. */
export const jsonText = (value: unknown): string => JSON.stringify(forPrograms(value), null, 2);

/** Below these keys the names are data (tools, models, calls) and are not changed. */
export const DATA_KEYS = ["by_tool", "token_usage", "input", "payload", "config"];

/** Numbers under these keys are Unix seconds on disk. */
const TIMES = new Set("at created_at updated_at timestamp started_at seen_at captured_at from to".split(" "));

/** Gives a value with the keys and times of JSON for programs. `isData`: its keys are data, and stay as they are. */
function forPrograms(value: unknown, key = "", isData = false): unknown {
	if (typeof value === "number" && TIMES.has(key)) return isoOf(value);
	if (Array.isArray(value)) return value.map((one) => forPrograms(one, "", isData));
	// (the input of a tool is not changed)
	if (value === null || typeof value !== "object" || key === "input") return value;
	const entries = Object.entries(value).map(([original, one]) => {
		const name = isData ? original : snake(original);
		return [name, forPrograms(one, name, isData || DATA_KEYS.includes(name))];
	});
	return Object.fromEntries(entries);
}

const snake = (key: string): string =>
	key
		.replace(/([a-z0-9])([A-Z])/g, "$1_$2")
		.replaceAll(" ", "_")
		.toLowerCase();

/** Gives a moment for people, on the clock of whoever reads: `2026-01-31 09:05`. Takes ISO text or Unix seconds. */
export function moment(at: string | number): string {
	const ms = typeof at === "number" ? at * 1000 : Date.parse(at);
	if (!(ms > 0 && ms < 8.64e15)) return "an unknown time";
	const { day, time } = localTime(new Date(ms));
	return `${day} ${time}`;
}

/** Gives a moment for programs, from Unix seconds: ISO 8601 in UTC; `null` for a number that is no time. */
const isoOf = (seconds: number): string | null =>
	seconds > 0 && seconds < 8.64e12 ? new Date(seconds * 1000).toISOString() : null;

/** Gives the values of `all` one by one, and shows at a terminal how many were reached. */
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

/** Asks before a change, unless `yes`. Gives whether to make it; if not, it says so, with exit code 2 where nobody can be asked. */
export async function isConfirmed(
	question: string,
	yes: boolean | undefined,
	io: Io,
	{ done = "deleted", how = "To do it add --yes" } = {},
): Promise<boolean> {
	if (yes) return true;
	const canAsk = io.interactive;
	if (canAsk && (await io.ask(`${question} [y/N] `))) return true;
	io.err(canAsk ? `Nothing was ${done}.` : `Nothing was ${done}: there is no terminal to ask on. ${how}`);
	if (!canAsk) io.exit(2);
	return false;
}
