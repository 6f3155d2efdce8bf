import { localTime } from "../../store/local-time.ts";
import type { Answer } from "./command.ts";
import type { Io } from "./io.ts";
import { printText } from "./text.ts";

/** Prints a command's answer: as JSON with `--json`, else as text. */
export function printAnswer({ json, text }: Answer, options: { json?: boolean }, io: Io): void {
	if (options.json) io.out(jsonText(json));
	else if (typeof text === "function") text();
	else for (const line of [text].flat()) printText(line, io);
}

/** Gives an answer as JSON for programs: keys in snake_case, as in Claude Code's own payloads to hooks; times in ISO 8601. */
export const jsonText = (value: unknown): string => JSON.stringify(toProgramJson(value), null, 2);

/** Keys of objects whose own keys are data (names of tools and models) and stay as they are. */
export const DATA_KEYS = ["by_tool", "token_usage", "input", "payload", "config"];

/** Keys whose numbers are times, in Unix seconds. */
const TIME_KEYS = new Set("at created_at updated_at timestamp started_at seen_at captured_at from to".split(" "));

/** Converts a value for `--json`: keys to snake_case, times to ISO 8601. `isData`: its keys are data, and stay as they are. */
function toProgramJson(value: unknown, key = "", isData = false): unknown {
	if (typeof value === "number" && TIME_KEYS.has(key)) return isoTime(value);
	if (Array.isArray(value)) return value.map((item) => toProgramJson(item, "", isData));
	// (the input of a tool is not changed)
	if (value === null || typeof value !== "object" || key === "input") return value;
	const entries = Object.entries(value).map(([original, item]) => {
		const name = isData ? original : snakeCase(original);
		return [name, toProgramJson(item, name, isData || DATA_KEYS.includes(name))];
	});
	return Object.fromEntries(entries);
}

/** Turns `someKey` or `some key` into `some_key`. */
const snakeCase = (key: string): string =>
	key
		.replace(/([a-z0-9])([A-Z])/g, "$1_$2")
		.replaceAll(" ", "_")
		.toLowerCase();

/** Gives a moment for people, on the clock of whoever reads: `2026-01-31 09:05`. Takes ISO text or Unix seconds. */
export function localDayAndTime(at: string | number): string {
	const ms = typeof at === "number" ? at * 1000 : Date.parse(at);
	if (!(ms > 0 && ms < 8.64e15)) return "an unknown time";
	const { day, time } = localTime(new Date(ms));
	return `${day} ${time}`;
}

/** Gives a moment for programs, from Unix seconds: ISO 8601 in UTC; `null` for a number that is no time. */
const isoTime = (seconds: number): string | null =>
	seconds > 0 && seconds < 8.64e12 ? new Date(seconds * 1000).toISOString() : null;

/** Yields the items one by one, and shows at a terminal how many were reached; `work` says what is done with them. */
export function* withProgress<T>(items: readonly T[], work: string, { progress }: Io): Generator<T> {
	try {
		for (const [i, item] of items.entries()) {
			progress?.(`${work}: ${i + 1} of ${items.length}`);
			yield item;
		}
	} finally {
		progress?.("");
	}
}

/** Asks a person before a change, unless `yes`. Gives whether to make it; a no it prints, with exit code 2 where nobody can be asked. */
export async function confirmChange(
	question: string,
	yes: boolean | undefined,
	io: Io,
	{ verb = "deleted", advice = "To do it add --yes" } = {},
): Promise<boolean> {
	if (yes) return true;
	const canAsk = io.interactive;
	if (canAsk && (await io.ask(`${question} [y/N] `))) return true;
	io.err(canAsk ? `Nothing was ${verb}.` : `Nothing was ${verb}: there is no terminal to ask on. ${advice}`);
	if (!canAsk) io.setExitCode(2);
	return false;
}
