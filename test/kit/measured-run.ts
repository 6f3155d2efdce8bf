/**
 * Runs one program and tells what it cost, from a process of its own: on Linux a program's peak of memory begins with that of
 * the process that started it, and a test runner's is hundreds of megabytes. Argument: a file with the job; beside it come
 * `.out`, `.err` and, on stdout, the figures. Started with Bun, not execa: only Bun tells what a program used.
 */
import { readFileSync } from "node:fs";

const path = process.argv[2]!;
const { command, cwd, env, limitMs } = JSON.parse(readFileSync(path, "utf8"));
const start = performance.now();
const child = Bun.spawn(command, {
	cwd,
	env,
	stdin: Bun.file(`${path}.in`),
	stdout: Bun.file(`${path}.out`),
	stderr: Bun.file(`${path}.err`),
});
let timedOut = false;
const clock = setTimeout(() => {
	timedOut = true;
	child.kill("SIGKILL");
}, limitMs);
const code = await child.exited;
clearTimeout(clock);
const ms = performance.now() - start;
const used = child.resourceUsage();
// its own and its children's time on the processor: the same on a machine that is busy with other things
const cpuMs = Number(used?.cpuTime.total ?? 0) / 1000;
const rss = used?.maxRSS ?? 0;
// in bytes (Bun 1.4)
const peakMb = rss / 1024 ** 2;
console.log(JSON.stringify({ code, ms, cpuMs, peakMb, timedOut }));
