import { readFileSync } from "node:fs";
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

/** How many processes a subject is, itself included, by `strace`; `null` where it can't be counted. */
export function processCount(subject: Subject, folder: string): number | null {
	if (!Bun.which("strace")) return null;
	const trace = join(folder, "strace.txt");
	subject.prepare?.();
	runNow(["strace", "-f", "-qq", "-e", "trace=process", "-o", trace, ...subject.argv], {
		env: subject.env,
		cwd: subject.cwd,
		input: subject.stdin,
	});
	try {
		return countProcesses(readFileSync(trace, "utf8"));
	} catch {
		return null;
	}
}

/** Processes in a trace of process calls: the first and every fork that succeeded; threads are none. */
export function countProcesses(trace: string): number | null {
	const lines = trace.split("\n");
	if (!lines.some((line) => /\bexecve\(.*= 0$/.test(line))) return null;
	const forks = lines.filter(
		(line) => /\b(?:clone3?|v?fork)(?:\(| resumed>).*= [1-9]\d*$/.test(line) && !line.includes("CLONE_THREAD"),
	);
	return 1 + forks.length;
}
