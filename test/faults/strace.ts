/**
 * Faults of system calls, by strace. What was learned of it (measured on strace 6.1, Bun 1.4.5): without `-f` only the main
 * thread is followed, which does all of Bun's synchronous file work, so the count of a call is the same in every run; with
 * `--seccomp-bpf` signals are silently not delivered; a signal comes before the call runs. Whoever enumerates counts what fired.
 */
import { spawn, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";

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

export interface Ran {
	code: number | null;
	out: string;
	err: string;
	killed: boolean;
}

/** `null` where a process may be traced, else why not. */
export function whyNoStrace(): string | null {
	const run = spawnSync("strace", ["-qq", "-e", "trace=none", "/bin/true"], { encoding: "utf8" });
	if (run.error) return `strace can't be started: ${run.error.message}`;
	return run.status === 0 ? null : `strace may not trace here: ${run.stderr.trim()}`;
}

/** The calls of a run that name one of the folders, in order. */
export async function pointsOf(
	command: Command,
	folders: string[],
	trace: string,
): Promise<{ points: Point[]; ran: Ran }> {
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
): Promise<{ ran: Ran; fired: boolean }> {
	const what = fault === "KILL" ? "signal=KILL" : `error=${fault}`;
	const ran = await traced(command, ["-e", `trace=${call}`, "-e", `inject=${call}:${what}:when=${n}`], trace);
	const lines = readFileSync(trace, "utf8").split("\n");
	const struck =
		fault === "KILL"
			? lines.filter((line) => line.startsWith(`${call}(`)).slice(n - 1, n)
			: lines.filter((line) => line.includes("(INJECTED)"));
	return { ran, fired: struck.some((line) => names(line, folders)) && (fault !== "KILL" || ran.killed) };
}

const names = (line: string, folders: string[]): boolean => folders.some((folder) => line.includes(folder));

async function traced(command: Command, options: string[], trace: string): Promise<Ran> {
	const [program, ...args] = command.argv;
	return runCommand({
		...command,
		argv: ["strace", "-y", "-qq", "-s", "200", "-o", trace, ...options, program!, ...args],
	});
}

/** A run without faults. */
export function runCommand({ argv, env, cwd, input }: Command): Promise<Ran> {
	const [program, ...args] = argv;
	return new Promise((resolve, reject) => {
		const child = spawn(program!, args, { env, cwd, stdio: "pipe" });
		let [out, err] = ["", ""];
		child.stdout.on("data", (data: Buffer) => {
			out += data.toString();
		});
		child.stderr.on("data", (data: Buffer) => {
			err += data.toString();
		});
		child.on("error", reject);
		// a process that was killed before it read
		child.stdin.on("error", () => {});
		child.on("close", (code, signal) => resolve({ code, out, err, killed: signal === "SIGKILL" || code === 137 }));
		child.stdin.end(input);
	});
}
