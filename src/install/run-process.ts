import { basename, dirname, join } from "node:path";
import type { Readable } from "node:stream";
import { programsOnPath } from "../files/on-path.ts";
import { realPath } from "../files/real-path.ts";
import { gitTop } from "../git/repository.ts";
import type { Env } from "../store/paths.ts";

type Execa = typeof import("./execa.ts");
type Child = ReturnType<typeof start>;

/** More is counted but not kept. */
const MAX_OUTPUT = 1024 * 1024;

export interface Ran {
	/** `null` when it was killed or could not start. */
	code: number | null;
	out: string;
	err: string;
	/** Wall time. */
	ms: number;
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
	let started = performance.now();
	const ended = (rest: Omit<Ran, "ms">): Ran => ({ ...rest, ms: Math.round(performance.now() - started) });
	try {
		const { execa } = load();
		started = performance.now();
		const child = start(execa, command, options);
		const [out, err] = [collect(child.stdout), collect(child.stderr)];
		const timedOut = await Promise.race([child.then(() => false), killed(child, options)]);
		const { exitCode, originalMessage } = timedOut ? {} : await child;
		const whyNot = child.pid === undefined ? originalMessage : undefined;
		return ended({ code: exitCode ?? null, out: out(), err: whyNot ?? err(), timedOut });
	} catch (error) {
		// a bundle that is missing names what asked for it in the lines behind
		const [why = ""] = (error as Error).message.split("\n");
		return ended({ code: null, out: "", err: why, timedOut: false });
	}
}

/** Named so that it is found from here and from the bundle of the command line, `src/cli/main.js`. */
const load = (bundle = "../install/execa"): Execa => require(bundle);

const start = (run: Execa["execa"], [program, ...args]: readonly string[], { cwd, env, input = "" }: RunOptions) =>
	run(program!, args, {
		cwd,
		env,
		// nothing of this process's own
		extendEnv: false,
		input,
		// kept by `collect`: execa's own limit would end the stream, and the program with it
		buffer: false,
		reject: false,
		// in a group of its own: a shell that is killed leaves what it started behind
		detached: true,
	});

/** Resolves when the time limit has ended the group; a process outside the group may still hold its output open. */
function killed(child: Child, { timeLimitMs, signal }: RunOptions): Promise<true> {
	const abort = (): void => killGroup(child.pid);
	if (signal?.aborted) abort();
	signal?.addEventListener("abort", abort);
	return new Promise((resolve) => {
		const end = (): void => {
			abort();
			resolve(true);
		};
		const timer = timeLimitMs === undefined ? undefined : setTimeout(end, timeLimitMs);
		void child.finally(() => {
			clearTimeout(timer);
			signal?.removeEventListener("abort", abort);
		});
	});
}

/** Reads a stream to its end; the function gives its text so far. */
function collect(stream: Readable): () => string {
	const chunks: Buffer[] = [];
	let size = 0;
	stream.on("data", (chunk: Buffer) => {
		if (size < MAX_OUTPUT) chunks.push(chunk);
		size += chunk.length;
	});
	return () => Buffer.concat(chunks).toString("utf8");
}

/** execa has nothing for it: it signals the process alone. */
function killGroup(pid: number | undefined): void {
	if (pid === undefined) return;
	try {
		process.kill(-pid, "SIGKILL");
	} catch {
		// it ended meanwhile
	}
}

/** The first program of a name on PATH that does not lie in the folder this runs in, which may be anybody's. */
export function ownProgram(name: string, env: Env, cwd: string): string | null {
	const workspaces = workspacesOf(env, cwd);
	for (const path of programsOnPath(name, env.PATH ?? "")) if (!isWithin(path, workspaces)) return path;
	return null;
}

/** The folders that may be anybody's, links resolved. A home folder is none, nor is what it lies in. */
export function workspacesOf(env: Env, cwd: string): string[] {
	const home = env.HOME ? `${realPath(env.HOME)}/` : "/";
	return [cwd, env.CLAUDE_PROJECT_DIR ?? cwd]
		.flatMap((folder) => [folder, gitTop(folder) ?? folder])
		.map((folder) => `${realPath(folder).replace(/\/$/, "")}/`)
		.filter((folder) => !home.startsWith(folder));
}

/** By the name it is called by, and by where a link leads. */
export function isWithin(path: string, workspaces: readonly string[]): boolean {
	const names = [join(realPath(dirname(path)), basename(path)), realPath(path)];
	return workspaces.some((folder) => names.some((name) => name.startsWith(folder)));
}
