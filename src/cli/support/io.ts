import { fstatSync, readFileSync, statSync, writeSync } from "node:fs";
import { redactJson, redactSecrets } from "../../core/redact/secrets.ts";
import { escapeUnseen } from "../../core/text/invisible.ts";
import { errorCode, reasonOf } from "../../files/system-failure.ts";
import { launcherPath } from "../../install/launcher.ts";
import type { Env } from "../../store/paths.ts";
import { type Place, tellOnce } from "../../store/session-handle.ts";
import { asTyped } from "./own-name.ts";

/** The part of the process that a command may use; tests give their own. `tell` reports problems of the store on stderr, each once. */
export interface Io extends Place {
	/** The words that were typed behind `ccg` and `--anyway`. */
	args?: readonly string[];
	/** Called as `ccg --anyway …`: may reach beyond the session's project (`isHeld`). */
	anyway?: boolean;
	/** Absolute path of `bin/ccg`. */
	launcher: string;
	/** True when stdin and stdout are terminals: only then a question is asked. */
	interactive: boolean;
	colours: ReturnType<typeof coloursFrom>;
	/** Columns to fit text into; absent where nobody's terminal is known: then nothing is cut. */
	columns?: number | undefined;
	/** Why a part of the answer did not arrive on stdout; `null` when all of it did. */
	lost?: () => string | null;
	/** A line of the answer, on stdout. */
	out(line: string): void;
	/** Shows on stderr how far long work is, in place of the text before; absent where that is no terminal. */
	progress?: ((text: string) => void) | undefined;
	/** A line of talk, on stderr. */
	err(line: string): void;
	/** Sets the exit code the process will end with. */
	exit(code: number): void;
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
	const stdout = outputTo(1);
	const stderr = outputTo(2);
	const gate = terminalGate(wantsColours(env));
	const io: Io = {
		env,
		cwd: process.cwd(),
		launcher: launcherPath(),
		interactive: isTerminal(0) && isTerminal(1),
		colours: gate.colours,
		columns: columnsOf(env),
		out: (line) => stdout.write(`${gate.pass(redactJson(line))}\n`),
		progress:
			isTerminal(2) && env.TERM !== "dumb" ? (text) => stderr.write(`\r${ESCAPE}K${gate.pass(text)}`) : undefined,
		err: (line) => stderr.write(`${gate.pass(redactSecrets(asTyped(line, io)))}\n`),
		tell: tellOnce((problem) => io.err(`ccg: ${problem}`)),
		lost: stdout.lost,
		exit: (code) => {
			process.exitCode = code;
		},
		now: () => new Date(),
		ask: async (question) => ["y", "yes"].includes((prompt(question) ?? "").trim().toLowerCase()),
		stdin: () => readFileSync(0, "utf8"),
	};
	return io;
}

function wantsColours({ NO_COLOR, FORCE_COLOR, TERM }: Env): boolean {
	if (NO_COLOR) return false;
	if (FORCE_COLOR) return FORCE_COLOR !== "0";
	return isTerminal(1) && TERM !== "dumb";
}

/** `COLUMNS` where it is set, else the terminal's own width. */
function columnsOf({ COLUMNS }: Env): number | undefined {
	if (Number(COLUMNS) >= 1) return Number(COLUMNS);
	return isTerminal(1) ? process.stdout.columns || undefined : undefined;
}

/**
 * Gives the one gate to the terminal: `pass` writes every control out as text (`escapeUnseen`) but for our own colours. These begin with a
 * mark in place of the escape; no text can hold the mark, since it is drawn anew for each process.
 */
export function terminalGate(isColoured: boolean) {
	const mark = isColoured ? `\u0000${crypto.randomUUID()}[` : null;
	const pass = (text: string): string =>
		mark === null ? escapeUnseen(text) : text.split(mark).map(escapeUnseen).join(ESCAPE);
	return { colours: coloursFrom(mark), pass };
}

const ESCAPE = "\u001b[";

/** Gives functions that put a text into our colours; `begin` is what a colour begins with, `null` for no colours. */
export function coloursFrom(begin: string | null = ESCAPE) {
	const colour = (open: number, close: number) => (text: string) =>
		begin === null ? text : `${begin}${open}m${text}${begin}${close}m`;
	return {
		isColorSupported: begin !== null,
		bold: colour(1, 22),
		dim: colour(2, 22),
		red: colour(31, 39),
		green: colour(32, 39),
		yellow: colour(33, 39),
		cyan: colour(36, 39),
	};
}

/**
 * Gives an output that writes to a file descriptor at once, so that a full disk is known before the process ends (`lost` says so). A reader
 * that went away (`| head`) is no failure: the command does its work to the end, and the rest of its output is dropped.
 */
function outputTo(fd: number) {
	let state: "open" | "closed" | { lost: string } = "open";
	return {
		write(text: string): void {
			if (state !== "open") return;
			try {
				writeWhole(fd, Buffer.from(text));
			} catch (error) {
				const code = errorCode(error);
				state = code === "EPIPE" ? "closed" : { lost: reasonOf(code) || String(error) };
			}
		},
		lost: () => (typeof state === "object" ? state.lost : null),
	};
}

function writeWhole(fd: number, bytes: Uint8Array): void {
	for (let at = 0; at < bytes.length; ) {
		try {
			at += writeSync(fd, bytes, at, bytes.length - at);
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
