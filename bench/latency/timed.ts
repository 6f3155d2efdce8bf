import { dirname } from "node:path";
import { readText } from "../../src/files/json-file.ts";
import { listFolder } from "../../src/files/quietly.ts";

/** One thing to measure: a whole process, spawned anew each time. */
export interface Subject {
	name: string;
	argv: string[];
	stdin: string;
	env: Record<string, string>;
	cwd: string;
	/** Puts the fixture back, untimed, before each run. */
	prepare?(): void;
	/** Says what is wrong with the output of a run, `null` when it did its work: a hook that fails is fast. */
	fault?(stdout: string): string | null;
}

export interface Pair {
	subject: Subject;
	base: Subject;
}

/** Of one run, in ms: until the process and its stdout ended, and its time on the processor. */
export interface Taken {
	wall: number;
	cpu: number;
}

export interface PairTimes {
	subject: Taken[];
	base: Taken[];
}

/**
 * Times each subject beside its base, A B A B …, all pairs in every round, so that a slow moment of the machine meets both.
 * Which of the two comes first changes by round. Throws when a run did not do its work.
 */
export async function timePairs(
	pairs: Pair[],
	rounds: number,
	warmUp: number,
	progress: (round: number) => void,
): Promise<PairTimes[]> {
	const times: PairTimes[] = pairs.map(() => ({ subject: [], base: [] }));
	for (let round = -warmUp; round < rounds; round++) {
		for (const [i, { subject, base }] of pairs.entries()) {
			// (what one PreCompact leaves running is small beside the next one's time)
			if (!subject.name.startsWith("PreCompact")) await untilQuiet(subject.env.HOME ?? "");
			const baseFirst = round % 2 === 0;
			const first = await run(baseFirst ? base : subject);
			const second = await run(baseFirst ? subject : base);
			if (round < 0) continue;
			times[i]!.base.push(baseFirst ? first : second);
			times[i]!.subject.push(baseFirst ? second : first);
		}
		progress(round + 1);
	}
	return times;
}

/** stdin is a pipe, as Claude Code gives it. */
async function run({ name, argv, stdin, env, cwd, prepare, fault }: Subject): Promise<Taken> {
	prepare?.();
	const start = performance.now();
	// Bun, not execa: its own work would be in every figure
	const child = Bun.spawn(argv, { cwd, env, stdin: "pipe", stdout: "pipe", stderr: "pipe" });
	feed(child.stdin, stdin);
	const [stdout, stderr, code] = await Promise.all([
		new Response(child.stdout).text(),
		new Response(child.stderr).text(),
		child.exited,
	]);
	const wall = performance.now() - start;
	const wrong = code !== 0 ? `ended ${code}` : (fault?.(stdout) ?? null);
	if (wrong) throw new Error(`${name}: ${wrong}; stdout: ${stdout.slice(0, 200)}; stderr: ${stderr.slice(0, 500)}`);
	return { wall, cpu: Number(child.resourceUsage()!.cpuTime.total) / 1000 };
}

/** Waits, a second at most, until nothing runs any more that hooks started beside themselves: it would be in the next row's time. */
export async function untilQuiet(home: string): Promise<void> {
	const isBeside = (command: string): boolean => command.includes(dirname(home)) && /session-end|index/.test(command);
	const isBusy = (): boolean =>
		listFolder("/proc").some((pid) => Number(pid) && isBeside(readText(`/proc/${pid}/cmdline`) ?? ""));
	for (let i = 0; i < 50 && isBusy(); i++) await Bun.sleep(20);
}

/** A process that ends without reading is no fault of the bench. */
function feed(pipe: { write(text: string): unknown; end(): unknown }, text: string): void {
	try {
		Promise.resolve(pipe.write(text)).catch(() => {});
		Promise.resolve(pipe.end()).catch(() => {});
	} catch {
		// EPIPE
	}
}

export function median(values: readonly number[]): number {
	const sorted = values.toSorted((a, b) => a - b);
	const middle = sorted.length >> 1;
	return sorted.length % 2 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}
