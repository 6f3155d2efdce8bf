import type { SessionContext } from "../../core/context/project.ts";
import { systemPath, systemReason } from "../../files/system-failure.ts";
import { localTime } from "../../store/local-time.ts";
import type { Answer } from "./command.ts";
import type { Io } from "./io.ts";
import { say } from "./text.ts";

/** Prints what a command gives, as it was asked for. */
export function printAnswer({ json, asIs, text }: Answer, given: { json?: boolean }, io: Io): void {
	if (given.json) io.out(jsonText(json, asIs));
	else if (typeof text === "function") text();
	else for (const line of [text].flat()) say(line, io);
}

/**
 * An answer for programs. One convention for all commands: keys in snake_case, as Claude Code's own payloads to hooks
 * have them; times in ISO 8601. `asIs` names keys whose values are kept as they are.
 */
export const jsonText = (value: unknown, asIs: readonly string[] = []): string =>
	JSON.stringify(snakeKeys(value, asIs), null, 2);

function snakeKeys(value: unknown, asIs: readonly string[]): unknown {
	if (Array.isArray(value)) return value.map((one) => snakeKeys(one, asIs));
	if (value === null || typeof value !== "object") return value;
	return Object.fromEntries(
		Object.entries(value).map(([key, one]) => [snake(key), asIs.includes(key) ? one : snakeKeys(one, asIs)]),
	);
}

const snake = (key: string): string =>
	key
		.replace(/([a-z0-9])([A-Z])/g, "$1_$2")
		.replace(/ /g, "_")
		.toLowerCase();

/** Keys of a session below which names are data: tools, models, what a tool was given. */
export const DATA_KEYS = ["by_tool", "token_usage", "input", "open_calls", "payload"];

/** Fields of a context that hold Unix seconds. */
const TIMES = new Set(["created_at", "updated_at", "timestamp", "started_at", "seen_at", "captured_at"]);

/** A context for programs: on disk its times are Unix seconds, in every answer of ccg they are ISO 8601. */
export function withIsoTimes(context: SessionContext): object {
	const { left_out: out } = context.summarised;
	const summarised = { ...context.summarised, left_out: out && { ...out, from: isoOf(out.from), to: isoOf(out.to) } };
	return isoTimes({ ...context, summarised }) as object;
}

function isoTimes(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(isoTimes);
	if (value === null || typeof value !== "object") return value;
	return Object.fromEntries(
		Object.entries(value).map(([key, one]) => {
			if (key === "input") return [key, one];
			return [key, TIMES.has(key) && typeof one === "number" ? isoOf(one) : isoTimes(one)];
		}),
	);
}

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

/** Asks before a change, unless told not to (`yes`). `false`: nothing is to be done, which was said; 2 where nobody can be asked. */
export async function isConfirmed(
	question: string,
	yes: boolean | undefined,
	io: Io,
	{ done = "deleted", how = "To delete it add --yes" } = {},
): Promise<boolean> {
	if (yes) return true;
	const isAsked = io.interactive;
	if (isAsked && (await io.ask(`${question} [y/N] `))) return true;
	io.err(isAsked ? `Nothing was ${done}.` : `Nothing was ${done}: there is no terminal to ask on. ${how}`);
	if (!isAsked) io.exit(2);
	return false;
}

const BAR = 24;

/** A bar where somebody waits at a terminal, four times a second at most; `null` ends it. */
export function progressBar(io: Io, what: string): (done: number | null, of?: number) => void {
	let last = 0;
	return (done, of = 1) => {
		const at = performance.now();
		if (done === null) return io.progress?.("");
		if (at - last < 250) return;
		last = at;
		const share = of === 0 ? 1 : Math.min(1, done / of);
		const filled = Math.round(share * BAR);
		io.progress?.(`${what} ${"█".repeat(filled)}${"░".repeat(BAR - filled)} ${Math.round(share * 100)} %`);
	};
}

/**
 * A failure of the file system under a command, as a message of three parts: what failed, on which path, what to do. What
 * is no such failure already speaks for itself and is returned as it is. `place` stands in where the system names no path.
 */
export function storeFailure(what: string, error: unknown, place: string): unknown {
	const reason = systemReason(error);
	if (reason === null) return error;
	const message = `${what}: ${systemPath(error) ?? place} can't be written (${reason}); make it writable for you, or set CCG_HOME to a folder that is`;
	return new Error(message, { cause: error });
}
