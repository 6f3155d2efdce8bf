import type { Command } from "commander";
import type pc from "picocolors";
import { type Painter, painted } from "../../core/pressure/status-colours.ts";
import { redactJson } from "../../core/redact/deep.ts";
import { redactSecrets } from "../../core/redact/secrets.ts";
import { shown } from "../../core/text/terminal.ts";
import { launcherPath } from "../../install/launcher.ts";
import type { Env } from "../../store/paths.ts";
import { type Tell, tellOnce } from "../../store/problems.ts";
import { isTerminal } from "./is-terminal.ts";
import { asTyped } from "./own-name.ts";
import { pageThrough } from "./pager.ts";
import { outputTo } from "./standard-output.ts";

/** What a command may touch of the process; tests give their own. */
export interface Io {
	env: Env;
	cwd: string;
	/** Called as `ccg --anyway …`: may reach beyond the session's project (`isHeld`). */
	anyway?: boolean;
	/** Absolute path of `bin/ccg`. */
	launcher: string;
	/** True when stdin and stdout are terminals: only then a question is asked. */
	interactive: boolean;
	colours: ReturnType<typeof pc.createColors>;
	/** Puts a text into a colour of the status line; absent where there are no colours. */
	paint?: Painter | undefined;
	/** Columns to fit text into; absent where nobody's terminal is known: then nothing is cut. */
	columns?: number | undefined;
	/** Shows a long text a page at a time to whoever reads at a terminal; absent where stdin or stdout is none. */
	page?: ((text: string) => boolean) | undefined;
	/** Why a part of the answer did not arrive on stdout; `null` when all of it did. */
	lost?: () => string | null;
	/** A line of the answer, on stdout. */
	out(line: string): void;
	/** A line of talk, on stderr. */
	err(line: string): void;
	/** Shows how far a long work is, in place of what it showed before; `""` takes it away. Absent where stderr is no terminal. */
	progress?: ((text: string) => void) | undefined;
	/** What a file of the store is like, on stderr; each thing once. */
	tell: Tell;
	/** Sets the exit code the process will end with. */
	exit(code: number): void;
}

/** Declares commands in a program; what they do is loaded when one runs. */
export type Register = (program: Command, io: Io) => void;

export function processIo(): Io {
	const { env } = process;
	const stdout = outputTo(1);
	const stderr = outputTo(2);
	const gate = terminalGate(wantsColours());
	const interactive = isTerminal(0) && isTerminal(1);
	const io: Io = {
		env,
		cwd: process.cwd(),
		launcher: launcherPath(),
		interactive,
		get colours() {
			return gate.colours;
		},
		paint: gate.paint,
		columns: columnsOf(env),
		page: interactive ? (text) => pageThrough(gate.pass(redactSecrets(text)), env) : undefined,
		out: (line) => stdout.write(`${gate.pass(redactJson(line))}\n`),
		err: (line) => stderr.write(`${gate.pass(redactSecrets(asTyped(line, io)))}\n`),
		progress:
			isTerminal(2) && env.TERM !== "dumb" ? (text) => stderr.write(`\r${ESCAPE}K${gate.pass(text)}`) : undefined,
		tell: tellOnce(({ text }) => io.err(`ccg: ${text}`)),
		lost: stdout.lost,
		exit: (code) => {
			process.exitCode = code;
		},
	};
	return io;
}

function wantsColours(): boolean {
	const { NO_COLOR, FORCE_COLOR, TERM } = process.env;
	if (NO_COLOR || process.argv.includes("--no-color")) return false;
	if (FORCE_COLOR) return FORCE_COLOR !== "0";
	return isTerminal(1) && TERM !== "dumb";
}

/** `COLUMNS` where it is set, else the terminal's own width. */
function columnsOf({ COLUMNS }: Env): number | undefined {
	if (/^[1-9]\d{0,3}$/.test(COLUMNS ?? "")) return Number(COLUMNS);
	return isTerminal(1) ? process.stdout.columns || undefined : undefined;
}

/**
 * The one gate to the terminal: of what is printed only our own colours are obeyed, everything else is shown (`shown`). Our colours
 * are known by a mark that no text can hold, since it is drawn anew for each process.
 */
export function terminalGate(isColoured: boolean): Pick<Io, "colours" | "paint"> & { pass(text: string): string } {
	if (!isColoured)
		return {
			get colours() {
				return painters(false);
			},
			pass: shown,
		};
	const mark = `\u0000${crypto.randomUUID()}[`;
	const own = painters(true);
	const marked = Object.entries(own).map(([name, paint]) => [
		name,
		typeof paint === "function"
			? (text: string | number | null | undefined) => {
					const [open = "", close = ""] = paint("\u0001").split("\u0001");
					return `${open.replace(ESCAPE, mark)}${text}${close.replace(ESCAPE, mark)}`;
				}
			: paint,
	]);
	return {
		colours: Object.fromEntries(marked) as Io["colours"],
		paint: (text, colour) => painted(text, colour, mark),
		pass: (text) => text.split(mark).map(shown).join(ESCAPE),
	};
}

/** Loaded when a command paints: it asks `process.stdout`, whose set-up costs more than most commands. */
const painters = (isColoured: boolean): Io["colours"] => (require("picocolors") as typeof pc).createColors(isColoured);

const ESCAPE = "\u001b[";
