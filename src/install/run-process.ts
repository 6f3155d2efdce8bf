import { basename, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { quietly } from "../files/quietly.ts";
import { isWithin, realPath } from "../files/real-path.ts";
import { gitTop } from "../git/repository.ts";
import type { Env } from "../store/paths.ts";

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

/** A bundle of its own, by a path that the bundler does not see through. */
const load = (file = `${import.meta.dirname}/execa`): typeof import("./execa.ts") => require(file);

/**
 * Runs a program the way Claude Code runs a hook: stdin from a pipe, no terminal, a process group of its own, which is
 * killed at the time limit. Never throws; a program that can't start gives its reason as `err`.
 */
export async function runProcess(
	[program = "", ...args]: readonly string[],
	{ cwd, env, input = "", timeLimitMs }: RunOptions,
): Promise<Ran> {
	const { execa } = load();
	const started = performance.now();
	// in a group of its own: a shell that is killed leaves what it started behind; and nothing of this process's environment
	const own = { extendEnv: false, reject: false, detached: true, stripFinalNewline: false, all: true } as const;
	const child = execa(program, args, { cwd, env, input, ...own });
	const { pid } = child;
	// a process outside the group may hold its output open when the time is up
	const late = timeLimitMs === undefined ? [] : [sleep(timeLimitMs, null, { ref: false })];
	let printed = "";
	child.all?.on("data", (piece) => {
		printed += piece;
	});
	const done = await Promise.race([child, ...late]);
	const ms = Math.round(performance.now() - started);
	if (done === null) {
		killGroup(pid);
		return { code: null, out: printed, err: "", ms, timedOut: true };
	}
	const err = pid === undefined ? (done.originalMessage ?? "") : done.stderr;
	return { code: done.exitCode ?? null, out: done.stdout, err, ms, timedOut: false };
}

/** execa has nothing for it: it signals the process alone. */
function killGroup(pid: number | undefined): void {
	// it may have ended meanwhile
	if (pid !== undefined) quietly(() => process.kill(-pid, "SIGKILL"));
}

/**
 * Whether a program lies outside the folder this runs in and the repository around it, which may be anybody's: by the name it is called
 * by, and by where a link leads. A home folder is none of these, nor is what it lies in.
 */
export function isOutside(env: Env, cwd: string): (path: string) => boolean {
	const home = realPath(env.HOME || "/");
	const workspaces = [cwd, env.CLAUDE_PROJECT_DIR ?? cwd]
		.flatMap((folder) => [folder, gitTop(folder) ?? folder])
		.map(realPath)
		.filter((folder) => !isWithin(home, folder));
	return (path) => {
		const names = [join(realPath(dirname(path)), basename(path)), realPath(path)];
		return !workspaces.some((folder) => names.some((name) => isWithin(name, folder)));
	};
}
