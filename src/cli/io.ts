import pc from "picocolors";
import { redactJson } from "../core/redact/deep.ts";
import { redactSecrets } from "../core/redact/secrets.ts";
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
	const colours = process.argv.includes("--no-color") || process.env.NO_COLOR ? false : pc.isColorSupported;
	return {
		env: process.env,
		cwd: process.cwd(),
		launcher: launcherPath(),
		interactive: Boolean(process.stdin.isTTY && process.stdout.isTTY),
		colours: pc.createColors(colours),
		out: (line) => console.log(redactJson(line)),
		// console.error would colour it red on a terminal
		err: (line) => void process.stderr.write(`${redactSecrets(line)}\n`),
		exit: (code) => {
			process.exitCode = code;
		},
	};
}
