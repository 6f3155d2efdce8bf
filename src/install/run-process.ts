import { basename, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { tryOrUndefined } from "../files/quietly.ts";
import { isWithin, realPath } from "../files/real-path.ts";
import { gitTop } from "../git/repository.ts";
import type { Env } from "../store/paths.ts";

/** How a program ended, and what it printed. */
export interface ProcessResult {
	/** `null` when it was killed or could not start. */
	code: number | null;
	out: string;
	err: string;
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

/** Loads execa, by a computed path: so the bundler keeps it in a bundle of its own. */
const loadExeca = (file = `${import.meta.dirname}/execa`): typeof import("./execa.ts") => require(file);

/**
 * Runs a program the way Claude Code runs a hook: stdin from a pipe, no terminal, a process group of its own, which is
 * killed at the time limit. Never throws; a program that can't start gives its reason as `err`.
 */
export async function runProcess(
	[program = "", ...args]: readonly string[],
	{ cwd, env, input = "", timeLimitMs }: RunOptions,
): Promise<ProcessResult> {
	const { execa } = loadExeca();
	const started = performance.now();
	// `detached`: a process group of its own, since killing a shell alone leaves what it started
	const options = { extendEnv: false, reject: false, detached: true, stripFinalNewline: false, all: true } as const;
	const child = execa(program, args, { cwd, env, input, ...options });
	const { pid } = child;
	// does not wait for the output's end, which a process outside the group may hold open
	const timeout = timeLimitMs === undefined ? [] : [sleep(timeLimitMs, null, { ref: false })];
	let printed = "";
	child.all?.on("data", (piece) => {
		printed += piece;
	});
	const ended = await Promise.race([child, ...timeout]);
	const ms = Math.round(performance.now() - started);
	if (ended === null) {
		// the whole group, if it still runs: execa would signal the process alone
		if (pid !== undefined) tryOrUndefined(() => process.kill(-pid, "SIGKILL"));
		return { code: null, out: printed, err: "", ms, timedOut: true };
	}
	const err = pid === undefined ? (ended.originalMessage ?? "") : ended.stderr;
	return { code: ended.exitCode ?? null, out: ended.stdout, err, ms, timedOut: false };
}

/**
 * Makes a test whether a program, by its path and where a link leads, lies outside the current folder, the project and the repositories around
 * them, which may hold anybody's programs. The home folder and the folders above it do not count as such.
 */
export function outsideWorkspaceTest(env: Env, cwd: string): (path: string) => boolean {
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
