import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type ProcessResult, runProcess } from "../../src/install/run-process.ts";
import type { StartOptions } from "./sandbox.ts";

/** What a program printed and what it cost, its children included. */
export interface Measured extends ProcessResult {
	/** Time on the processor. */
	cpuMs: number;
	/** Largest resident memory; the floor is that of the process below, about 40 MB. */
	peakMb: number;
}

export interface MeasuredOptions extends StartOptions {
	/** Where input and output are kept while it runs. */
	top: string;
	input?: string;
}

/**
 * Runs a program from a process of its own, this file's: on Linux a program's peak of memory begins with that of the process
 * that started it, and a test runner's is hundreds of megabytes.
 */
export async function runApart(
	command: readonly string[],
	{ top, cwd, env, input = "", limitMs = 30_000 }: MeasuredOptions,
): Promise<Measured> {
	mkdirSync(top, { recursive: true });
	const job = join(top, "job");
	writeFileSync(`${job}.in`, input);
	writeFileSync(job, JSON.stringify({ command, cwd, env, limitMs }));
	const runner = [process.execPath, "--config=/dev/null", "--no-env-file", import.meta.filename, job];
	const { out, err } = await runProcess(runner, { cwd: top, env: { PATH: env.PATH } });
	if (!out) throw new Error(`${command.join(" ")} was not measured: ${err}`);
	return { ...JSON.parse(out), out: readFileSync(`${job}.out`, "utf8"), err: readFileSync(`${job}.err`, "utf8") };
}

// Bun starts it, not execa: only Bun tells what a program used
if (import.meta.main) {
	const path = process.argv[2]!;
	const { command, cwd, env, limitMs } = JSON.parse(readFileSync(path, "utf8"));
	const start = performance.now();
	const child = Bun.spawn(command, {
		cwd,
		env,
		stdin: Bun.file(`${path}.in`),
		stdout: Bun.file(`${path}.out`),
		stderr: Bun.file(`${path}.err`),
		...{ timeout: limitMs, killSignal: "SIGKILL" },
	});
	const code = await child.exited;
	const ms = performance.now() - start;
	const timedOut = ms >= limitMs;
	const used = child.resourceUsage();
	// its own and its children's time on the processor: the same on a machine that is busy with other things
	const cpuMs = Number(used?.cpuTime.total ?? 0) / 1000;
	const rss = used?.maxRSS ?? 0;
	// in bytes (Bun 1.4)
	const peakMb = rss / 1024 ** 2;
	console.log(JSON.stringify({ code, ms, cpuMs, peakMb, timedOut }));
}
