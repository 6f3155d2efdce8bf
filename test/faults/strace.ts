/**
 * Faults of system calls, by strace. What was learned of it (measured on strace 6.1, Bun 1.4.5): without `-f` only the main
 * thread is followed, which does all of Bun's synchronous file work, so the count of a call is the same in every run; with
 * `--seccomp-bpf` signals are silently not delivered; a signal comes before the call runs. Whoever enumerates counts what fired.
 */
import { readFileSync } from "node:fs";
import { runNow, startBeside } from "../kit/process.ts";

/** The calls by which files change, and `openat`, by which they are also read. */
const CALLS = [
	"openat",
	"open",
	"write",
	"pwrite64",
	"writev",
	"fsync",
	"fdatasync",
	"ftruncate",
	"fchmod",
	"chmod",
	"rename",
	"renameat",
	"renameat2",
	"link",
	"linkat",
	"unlink",
	"unlinkat",
	"mkdir",
	"mkdirat",
	"utimensat",
] as const;

/** The `n`th call of this name in the process. */
export interface Point {
	call: string;
	n: number;
	/** Its line in the trace, for messages. */
	line: string;
}

export type Fault = "KILL" | "ENOSPC" | "EIO" | "EACCES";

export interface Command {
	argv: string[];
	env: Record<string, string>;
	cwd: string;
	input: string;
}

export interface TracedRun {
	code: number | null;
	out: string;
	err: string;
	killed: boolean;
}

/** `null` where a process may be traced, else why not. */
export function whyNoStrace(): string | null {
	const { code, err } = runNow(["strace", "-qq", "-e", "trace=none", "/bin/true"]);
	if (code === null) return `strace can't be started: ${err}`;
	return code === 0 ? null : `strace may not trace here: ${err.trim()}`;
}

/** The calls of a run that name one of the folders, in order. */
export async function pointsOf(
	command: Command,
	folders: string[],
	trace: string,
): Promise<{ points: Point[]; ran: TracedRun }> {
	const ran = await traced(command, ["-e", `trace=${CALLS.map((call) => `?${call}`).join(",")}`], trace);
	const counts = new Map<string, number>();
	const points: Point[] = [];
	for (const line of readFileSync(trace, "utf8").split("\n")) {
		const call = /^(\w+)\(/.exec(line)?.[1];
		if (!call) continue;
		const n = (counts.get(call) ?? 0) + 1;
		counts.set(call, n);
		if (names(line, folders)) points.push({ call, n, line });
	}
	return { points, ran };
}

/** Runs a command with one fault. `fired`: it struck a call on one of the folders. */
export async function withFault(
	command: Command,
	{ call, n }: Point,
	fault: Fault,
	folders: string[],
	trace: string,
): Promise<{ ran: TracedRun; fired: boolean }> {
	const what = fault === "KILL" ? "signal=KILL" : `error=${fault}`;
	const ran = await traced(command, ["-e", `trace=${call}`, "-e", `inject=${call}:${what}:when=${n}`], trace);
	const lines = readFileSync(trace, "utf8").split("\n");
	const struck =
		fault === "KILL"
			? lines.filter((line) => line.startsWith(`${call}(`)).slice(n - 1, n)
			: lines.filter((line) => line.includes("(INJECTED)"));
	return { ran, fired: struck.some((line) => names(line, folders)) && (fault !== "KILL" || ran.killed) };
}

/** What is printed may name a folder too. */
const names = (line: string, folders: string[]): boolean =>
	!/^writev?\([12]</.test(line) && folders.some((folder) => line.includes(folder));

async function traced(command: Command, options: string[], trace: string): Promise<TracedRun> {
	const [program, ...args] = command.argv;
	return runCommand({
		...command,
		argv: ["strace", "-y", "-qq", "-s", "200", "-o", trace, ...options, program!, ...args],
	});
}

/** A run without faults. */
export async function runCommand({ argv, ...place }: Command): Promise<TracedRun> {
	const child = startBeside(argv, place);
	const { exitCode, signal, stdout, stderr, originalMessage } = await child;
	if (child.pid === undefined) throw new Error(originalMessage);
	return {
		code: exitCode ?? null,
		out: stdout,
		err: stderr,
		killed: signal === "SIGKILL" || exitCode === 137,
	};
}
