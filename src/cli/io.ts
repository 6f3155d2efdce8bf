import pc from "picocolors";
import { redactJson } from "../core/redact/deep.ts";
import { redactSecrets } from "../core/redact/secrets.ts";
import { shown } from "../core/terminal.ts";
import { launcherPath } from "../install/launcher.ts";
import type { Env } from "../store/paths.ts";

/** What a command may touch of the process; tests give their own. */
export interface Io {
	env: Env;
	cwd: string;
	/** Absolute path of `bin/ccg`. */
	launcher: string;
	/** True when stdin and stdout are terminals: only then a question is asked. */
	interactive: boolean;
	colours: ReturnType<typeof pc.createColors>;
	/** A line of the answer, on stdout. */
	out(line: string): void;
	/** A line of talk, on stderr. */
	err(line: string): void;
	/** Sets the exit code the process will end with. */
	exit(code: number): void;
}

export function processIo(): Io {
	const isColoured = process.argv.includes("--no-color") || process.env.NO_COLOR ? false : pc.isColorSupported;
	const gate = terminalGate(isColoured);
	return {
		env: process.env,
		cwd: process.cwd(),
		launcher: launcherPath(),
		interactive: Boolean(process.stdin.isTTY && process.stdout.isTTY),
		colours: gate.colours,
		out: (line) => console.log(gate.pass(redactJson(line))),
		// console.error would colour it red on a terminal
		err: (line) => void process.stderr.write(`${gate.pass(redactSecrets(line))}\n`),
		exit: (code) => {
			process.exitCode = code;
		},
	};
}

/**
 * The one gate to the terminal: of what is printed only our own colours are obeyed, everything else is shown (`shown`). Our colours
 * are known by a mark that no text can hold, since it is drawn anew for each process.
 */
export function terminalGate(isColoured: boolean): { colours: Io["colours"]; pass(text: string): string } {
	if (!isColoured) return { colours: pc.createColors(false), pass: shown };
	const mark = `\u0000${crypto.randomUUID()}[`;
	const own = pc.createColors(true);
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
		pass: (text) => text.split(mark).map(shown).join(ESCAPE),
	};
}

const ESCAPE = "\u001b[";
