import type { Env } from "../store/paths.ts";

/** More is counted but not kept. */
const MAX_OUTPUT = 1024 * 1024;

export interface Ran {
	/** `null` when it was killed or could not start. */
	code: number | null;
	out: string;
	err: string;
	/** Wall time. */
	ms: number;
	/** Largest resident memory, in MB; 0 when it was killed or could not start. */
	peakMb: number;
	timedOut: boolean;
}

export interface RunOptions {
	cwd: string;
	env: Env;
	/** What it reads from stdin. */
	input?: string | Uint8Array;
	timeLimitMs?: number;
	/** Ends it when aborted. */
	signal?: AbortSignal;
}

/**
 * Runs a program the way Claude Code runs a hook: stdin from a pipe, no terminal, a process group of its own, which is
 * killed at the time limit. Never throws; a program that can't start gives its reason as `err`.
 */
export async function runProcess(command: readonly string[], options: RunOptions): Promise<Ran> {
	const started = performance.now();
	const ended = (rest: Omit<Ran, "ms">): Ran => ({ ...rest, ms: Math.round(performance.now() - started) });
	try {
		const child = start(command, options);
		const [out, err] = [collect(child.stdout), collect(child.stderr)];
		const whole = Promise.all([child.exited, out.end, err.end]).then(() => false);
		const timedOut = await Promise.race([whole, killed(child.pid, whole, options)]);
		const code = timedOut ? null : child.exitCode;
		return ended({ code, out: out.text(), err: err.text(), peakMb: peakOf(child), timedOut });
	} catch (error) {
		return ended({ code: null, out: "", err: (error as Error).message, peakMb: 0, timedOut: false });
	}
}

const start = (command: readonly string[], { cwd, env, input = "" }: RunOptions) =>
	Bun.spawn([...command], {
		cwd,
		env,
		stdin: Buffer.from(input),
		stdout: "pipe",
		stderr: "pipe",
		// in a group of its own: a shell that is killed leaves what it started behind
		detached: true,
	});

/** Resolves when the time limit has ended the group; a process outside the group may still hold its output open. */
function killed(pid: number, whole: Promise<unknown>, { timeLimitMs, signal }: RunOptions): Promise<true> {
	const abort = (): void => killGroup(pid);
	if (signal?.aborted) abort();
	signal?.addEventListener("abort", abort);
	return new Promise((resolve) => {
		const end = (): void => {
			abort();
			resolve(true);
		};
		const timer = timeLimitMs === undefined ? undefined : setTimeout(end, timeLimitMs);
		void whole.finally(() => {
			clearTimeout(timer);
			signal?.removeEventListener("abort", abort);
		});
	});
}

function collect(stream: ReadableStream<Uint8Array>): { end: Promise<void>; text(): string } {
	const chunks: Uint8Array[] = [];
	let size = 0;
	const read = async (): Promise<void> => {
		for await (const chunk of stream) {
			if (size < MAX_OUTPUT) chunks.push(chunk);
			size += chunk.length;
		}
	};
	return { end: read(), text: () => Buffer.concat(chunks).toString("utf8") };
}

function peakOf(child: Bun.Subprocess): number {
	const rss = child.resourceUsage()?.maxRSS ?? 0;
	// Bun tells bytes, older versions kilobytes
	return rss > 50_000_000 ? rss / 1024 ** 2 : rss / 1024;
}

function killGroup(pid: number): void {
	try {
		process.kill(-pid, "SIGKILL");
	} catch {
		// it ended meanwhile
	}
}
