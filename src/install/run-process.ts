import { basename, dirname, join } from "node:path";
import { programsOnPath } from "../files/on-path.ts";
import { realPath } from "../files/real-path.ts";
import { gitTop } from "../git/repository.ts";
import type { Env } from "../store/paths.ts";

type Execa = typeof import("./execa.ts");

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
}

/** Named so that it is found from here and from the bundle of the command line, `src/cli/main.js`. */
const load = (bundle = "../install/execa"): Execa => require(bundle);

/** What runs now, by process group. */
const running = new Set<number>();

/**
 * Runs a program the way Claude Code runs a hook: stdin from a pipe, no terminal, a process group of its own, which is
 * killed at the time limit. Never throws; a program that can't start gives its reason as `err`.
 */
export async function runProcess(
	[program = "", ...args]: readonly string[],
	{ cwd, env, input = "", timeLimitMs }: RunOptions,
): Promise<Ran> {
	let execa: Execa["execa"];
	try {
		({ execa } = load());
	} catch (error) {
		// the lines behind the first name what asked for it
		const [err = ""] = (error as Error).message.split("\n");
		return { code: null, out: "", err, ms: 0, timedOut: false };
	}
	const started = performance.now();
	// in a group of its own: a shell that is killed leaves what it started behind; and nothing of this process's environment
	const options = {
		cwd,
		env,
		input,
		extendEnv: false,
		reject: false,
		detached: true,
		stripFinalNewline: false,
	} as const;
	const child = execa(program, args, options);
	const { pid } = child;
	if (pid !== undefined) running.add(pid);
	let timer: NodeJS.Timeout | undefined;
	// a process outside the group may hold its output open when the time is up
	const late = new Promise<null>((resolve) => {
		if (timeLimitMs !== undefined) timer = setTimeout(() => resolve(null), timeLimitMs);
	});
	const done = await Promise.race([child, late]);
	clearTimeout(timer);
	const ms = Math.round(performance.now() - started);
	if (pid !== undefined) running.delete(pid);
	if (done === null) {
		killGroup(pid);
		return { code: null, out: "", err: "", ms, timedOut: true };
	}
	const err = pid === undefined ? (done.originalMessage ?? "") : done.stderr;
	return { code: done.exitCode ?? null, out: done.stdout, err, ms, timedOut: false };
}

/** Ends all that still runs. */
export function endAll(): void {
	for (const pid of running) killGroup(pid);
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
