import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { runApart } from "../../test/kit/measured.ts";
import { runNow } from "../../test/kit/process.ts";
import type { Subject } from "./timed.ts";

/** Peak memory of a subject in MB: the largest of its processes, the largest of `runs`. */
export async function peakMemoryMb(
	{ argv, stdin, env, cwd, prepare }: Subject,
	top: string,
	runs = 3,
): Promise<number> {
	let peak = 0;
	for (let i = 0; i < runs; i++) {
		prepare?.();
		peak = Math.max(peak, (await runApart(argv, { top, cwd, env, input: stdin })).peakMb);
	}
	return peak;
}

/** What `strace` writes of one run of a subject; `null` where it can't run. `calls`: as it names them. */
function traceOf({ argv, stdin, env, cwd, prepare }: Subject, folder: string, calls: string): string | null {
	if (!Bun.which("strace")) return null;
	const trace = join(folder, "strace.txt");
	rmSync(trace, { force: true });
	prepare?.();
	runNow(["strace", "-f", "-qq", "-y", "-e", `trace=${calls}`, "-o", trace, ...argv], { env, cwd, input: stdin });
	return existsSync(trace) ? readFileSync(trace, "utf8") : null;
}

/** How many processes a subject is, itself included; `null` where it can't be counted. */
export function processCount(subject: Subject, folder: string): number | null {
	const trace = traceOf(subject, folder, "process");
	return trace === null ? null : countProcesses(trace);
}

/** Bytes that a subject reads of a file, in KB. */
export const readKb = (subject: Subject, folder: string, path: string): number | null =>
	bytesIn(traceOf(subject, folder, "read,pread64,preadv,preadv2,readv"), (line) => line.includes(`<${path}>`));

/** Bytes that a subject writes into files below a folder, in KB. */
export const writtenKb = (subject: Subject, folder: string, below: string): number | null =>
	bytesIn(traceOf(subject, folder, "write,pwrite64,pwritev,pwritev2,writev"), (line) => line.includes(`<${below}/`));

/** Sums up the bytes that the calls in a trace gave, of lines that count. */
export function bytesIn(trace: string | null, counts: (line: string) => boolean): number | null {
	if (trace === null) return null;
	const given = trace.split("\n").flatMap((line) => (counts(line) ? (/ = (\d+)$/.exec(line)?.[1] ?? []) : []));
	return given.reduce((sum, bytes) => sum + Number(bytes), 0) / 1024;
}

/** How often a hook itself syncs, not what it starts beside itself. */
export function syncCount(subject: Subject, folder: string): number | null {
	const trace = traceOf(subject, folder, "fsync,fdatasync,execve");
	const [, hook] = /^(\d+) +execve\("[^"]*\/bin\/ccg"/m.exec(trace ?? "") ?? [];
	return hook ? linesIn(trace, new RegExp(`^${hook} +f(?:data)?sync\\(`)) : null;
}

/** Files that were found and opened. */
export const openCount = (subject: Subject, folder: string): number | null =>
	linesIn(traceOf(subject, folder, "open,openat"), / = \d+</);

/** How many lines of a trace match. */
export const linesIn = (trace: string | null, pattern: RegExp): number | null =>
	trace === null ? null : trace.split("\n").filter((line) => pattern.test(line)).length;

/** Processes in a trace of process calls: the first and every fork that succeeded; threads are none. */
export function countProcesses(trace: string): number | null {
	const lines = trace.split("\n");
	if (!lines.some((line) => /\bexecve\(.*= 0$/.test(line))) return null;
	const forks = lines.filter(
		(line) => /\b(?:clone3?|v?fork)(?:\(| resumed>).*= [1-9]\d*$/.test(line) && !line.includes("CLONE_THREAD"),
	);
	return 1 + forks.length;
}
