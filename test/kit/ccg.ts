import { expect } from "vitest";
import { runCommandLine } from "../../src/cli/program.ts";
import { type Io, makeColours } from "../../src/cli/support/io.ts";
import { LAUNCHER } from "./sandbox.ts";

/** What a command finds of a process; nobody sits at a terminal unless it is said. */
export interface Called {
	env?: Io["env"];
	cwd?: string;
	now?: Date;
	launcher?: string;
	interactive?: boolean;
	/** To each question. */
	answer?: boolean;
	stdin?: string;
	columns?: number;
	colours?: boolean;
}

/** What a command said and asked, and its exit code. */
export interface Said {
	code: number;
	out: string;
	err: string;
	asked: string[];
	/** What `--json` printed. */
	// biome-ignore lint/suspicious/noExplicitAny: any answer
	json: any;
}

/** A command that failed: it says so on stderr, and nothing on stdout. */
export const failed = (said: string, code = 1) => ({ code, out: "", err: expect.stringContaining(said) });

/** Runs `ccg` with these arguments through the program's entry, in this process. */
export async function runCcg(args: readonly string[], called: Called = {}): Promise<Said> {
	const { now = new Date(), answer = true, stdin = "", interactive = false } = called;
	const [out, err, asked]: [string[], string[], string[]] = [[], [], []];
	let code = 0;
	const io: Io = {
		env: called.env ?? {},
		cwd: called.cwd ?? "/",
		launcher: called.launcher ?? LAUNCHER,
		interactive,
		colours: called.colours ? makeColours() : makeColours(null),
		columns: called.columns,
		out: (line) => out.push(line),
		err: (line) => err.push(line),
		onProblem: (problem) => err.push(`ccg: ${problem}`),
		setExitCode: (given) => {
			code = given;
		},
		now: () => now,
		ask: async (question) => asked.push(question) > 0 && answer,
		stdin: () => stdin,
	};
	await runCommandLine(args, io);
	const said = out.join("\n");
	const ran = { code, out: said, err: err.join("\n"), asked };
	// (not shown with the others where it is none)
	return Object.defineProperty(ran, "json", { get: () => JSON.parse(said) }) as Said;
}
