import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { execa, execaSync } from "execa";
import type { Run } from "./sandbox.ts";

/** `env` is all a program gets; without it, it gets the test's own. */
export interface Place {
	cwd?: string;
	env?: Record<string, string | undefined>;
	input?: string;
	/** It is written to part by part. */
	stdin?: "pipe" | "ignore";
	limitMs?: number;
}

const settings = ({ cwd, env, input, stdin = "ignore", limitMs }: Place) => ({
	...(cwd && { cwd }),
	...(env && { env, extendEnv: false }),
	...(input === undefined ? { stdin } : { input }),
	...(limitMs && { timeout: limitMs }),
	reject: false as const,
	stripFinalNewline: false as const,
});

/** Waits for a program; `code` is `null` when it was killed or could not start, `err` then says why. */
export function runNow([program, ...args]: readonly string[], place: Place = {}): Run {
	const { exitCode, stdout, stderr, originalMessage } = execaSync(program!, args, settings(place));
	return { code: exitCode ?? null, out: stdout, err: stderr || (originalMessage ?? "") };
}

/** What a program prints. Throws when it does not end with 0. */
export function printedBy(command: readonly string[], place: Place = {}): string {
	const { code, out, err } = runNow(command, place);
	if (code !== 0) throw new Error(`${command.join(" ")} ended with ${code}: ${err.trim()}`);
	return out;
}

/** Starts a program that runs beside the test; awaited, it gives how it ended. */
export const startBeside = ([program, ...args]: readonly string[], place: Place = {}) =>
	execa(program!, args, settings(place));

/** Starts Bun so, with a file or `-e`, and without what the folder would have it read. What it says on stderr is shown. */
export const startBun = (args: readonly string[], place: Place = {}) =>
	execa(process.execPath, ["--config=/dev/null", "--no-env-file", ...args], { ...settings(place), stderr: "inherit" });

/** Makes a pipe, which nobody writes to. */
export function fifo(path: string): void {
	mkdirSync(dirname(path), { recursive: true });
	printedBy(["mkfifo", path]);
}

/** Waits until no process fills the search index of a home: a turn's end starts one beside it. */
export async function indexIsFilled(home: string): Promise<void> {
	const fills = (pid: string): boolean => {
		try {
			const read = (name: string) => readFileSync(join("/proc", pid, name), "latin1").split("\0");
			return read("cmdline").includes("--fill") && read("environ").includes(`HOME=${home}`);
		} catch {
			// it has ended
			return false;
		}
	};
	// (two looks: while a program takes another's place nothing can be read of it)
	for (let quiet = 0; quiet < 2; await Bun.sleep(30))
		quiet = readdirSync("/proc").some((name) => /^\d+$/.test(name) && fills(name)) ? 0 : quiet + 1;
}
