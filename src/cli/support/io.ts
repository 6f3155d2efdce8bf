import { fstatSync, readFileSync, statSync, writeSync } from "node:fs";
import { redactJson, redactSecrets } from "../../core/redact/secrets.ts";
import { escapeUnseen } from "../../core/text/invisible.ts";
import { describeErrorCode, errorCode } from "../../files/system-failure.ts";
import { launcherPath } from "../../install/launcher.ts";
import type { Env } from "../../store/paths.ts";
import { type CommandContext, reportOnce } from "../../store/session-handle.ts";
import { withTypableCommands } from "./own-name.ts";

/** The part of the process that a command may use; tests give their own. `onProblem` reports problems of the store on stderr, each once. */
export interface Io extends CommandContext {
	/** The words that were typed behind `ccg` and `--anyway`. */
	args?: readonly string[];
	/** Called as `ccg --anyway …`: may reach beyond the session's project (`isProjectBound`). */
	mayLeaveProject?: boolean;
	/** Absolute path of `bin/ccg`. */
	launcher: string;
	/** True when stdin and stdout are terminals: only then a question is asked. */
	interactive: boolean;
	colours: ReturnType<typeof makeColours>;
	/** Columns to fit text into; absent where nobody's terminal is known: then nothing is cut. */
	columns?: number | undefined;
	/** Why a part of the answer did not arrive on stdout; `null` when all of it did. */
	writeFailure?: () => string | null;
	/** A line of the answer, on stdout. */
	out(line: string): void;
	/** Shows on stderr how far long work is, in place of the text before; absent where that is no terminal. */
	progress?: ((text: string) => void) | undefined;
	/** A line of talk, on stderr. */
	err(line: string): void;
	/** Sets the exit code the process will end with. */
	setExitCode(code: number): void;
	now(): Date;
	/** Asks a yes-or-no question. */
	ask(question: string): Promise<boolean>;
	/** All of stdin. */
	stdin(): string;
}

/** A command was called in a way it does not know: exit code 2. */
export class WrongUse extends Error {}

/** Gives the `Io` of this process. */
export function processIo(): Io {
	const { env } = process;
	const stdout = openOutput(1);
	const stderr = openOutput(2);
	const { colours, escapeText } = terminalEscaper(wantsColours(env));
	const io: Io = {
		env,
		cwd: process.cwd(),
		launcher: launcherPath(),
		interactive: isTerminal(0) && isTerminal(1),
		colours,
		columns: terminalWidth(env),
		out: (line) => stdout.write(`${escapeText(redactJson(line))}\n`),
		progress:
			isTerminal(2) && env.TERM !== "dumb" ? (text) => stderr.write(`\r${ESCAPE}K${escapeText(text)}`) : undefined,
		err: (line) => stderr.write(`${escapeText(redactSecrets(withTypableCommands(line, io)))}\n`),
		onProblem: reportOnce((problem) => io.err(`ccg: ${problem}`)),
		writeFailure: stdout.failure,
		setExitCode: (code) => {
			process.exitCode = code;
		},
		now: () => new Date(),
		ask: async (question) => ["y", "yes"].includes((prompt(question) ?? "").trim().toLowerCase()),
		stdin: () => readFileSync(0, "utf8"),
	};
	return io;
}

/** Whether to print in colours: as NO_COLOR or FORCE_COLOR say, else where stdout is a terminal that knows them. */
function wantsColours({ NO_COLOR, FORCE_COLOR, TERM }: Env): boolean {
	if (NO_COLOR) return false;
	if (FORCE_COLOR) return FORCE_COLOR !== "0";
	return isTerminal(1) && TERM !== "dumb";
}

/** Gives the width to print in: `COLUMNS` where it is set, else the terminal's own; none where stdout is no terminal. */
function terminalWidth({ COLUMNS }: Env): number | undefined {
	if (Number(COLUMNS) >= 1) return Number(COLUMNS);
	return isTerminal(1) ? process.stdout.columns || undefined : undefined;
}

/**
 * Gives `escapeText`, which all that reaches the terminal passes: it writes every control out as text, but for the colours given with it. These
 * begin with a random mark in place of the escape; no text can hold the mark, since each process makes its own.
 */
export function terminalEscaper(isColoured: boolean) {
	const colourMark = isColoured ? `\u0000${crypto.randomUUID()}[` : null;
	const escapeText = (text: string): string =>
		colourMark === null ? escapeUnseen(text) : text.split(colourMark).map(escapeUnseen).join(ESCAPE);
	return { colours: makeColours(colourMark), escapeText };
}

const ESCAPE = "\u001b[";

/** Gives functions that colour a text; `prefix` begins each colour, `null` gives functions that leave a text as it is. */
export function makeColours(prefix: string | null = ESCAPE) {
	const colour = (open: number, close: number) => (text: string) =>
		prefix === null ? text : `${prefix}${open}m${text}${prefix}${close}m`;
	return {
		isColorSupported: prefix !== null,
		bold: colour(1, 22),
		dim: colour(2, 22),
		red: colour(31, 39),
		green: colour(32, 39),
		yellow: colour(33, 39),
		cyan: colour(36, 39),
	};
}

/**
 * Gives an output that writes to a file descriptor at once, so that a full disk is known before the process ends (`failure` tells it). A
 * reader that went away (`| head`) is no failure: the command does its work to the end, and the rest of its output is dropped.
 */
function openOutput(fd: number) {
	let state: "open" | "closed" | { failure: string } = "open";
	return {
		write(text: string): void {
			if (state !== "open") return;
			try {
				writeAll(fd, Buffer.from(text));
			} catch (error) {
				const code = errorCode(error);
				state = code === "EPIPE" ? "closed" : { failure: describeErrorCode(code) || String(error) };
			}
		},
		failure: () => (typeof state === "object" ? state.failure : null),
	};
}

/** Writes all bytes, however many parts it takes. */
function writeAll(fd: number, bytes: Uint8Array): void {
	for (let written = 0; written < bytes.length; ) {
		try {
			written += writeSync(fd, bytes, written, bytes.length - written);
		} catch (error) {
			// the other end of the pipe set it to "do not wait" and is slow
			if (errorCode(error) !== "EAGAIN") throw error;
			Bun.sleepSync(5);
		}
	}
}

/**
 * Whether a file descriptor is a terminal. node:tty brings the network with it, 18 ms of a start (measured on Bun 1.4.5), so it is
 * asked only about what can be one: terminals are character devices, and so is /dev/null, which programs often give.
 */
function isTerminal(fd: number): boolean {
	try {
		const stat = fstatSync(fd);
		if (!stat.isCharacterDevice() || stat.rdev === statSync("/dev/null").rdev) return false;
	} catch {
		return false;
	}
	return (require("node:tty") as typeof import("node:tty")).isatty(fd);
}
