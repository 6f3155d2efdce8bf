import { existsSync } from "node:fs";
import { tryOrUndefined } from "../../files/quietly.ts";
import type { Env } from "../../store/paths.ts";

const MAX_OUTPUT = 64 * 1024;
const DRAIN_MS = 100;
/** A command that hangs is killed then. */
const LIMIT_MS = 30_000;

/**
 * Runs the user's own status line command as Claude Code would: through the shell, same stdin, same environment. Gives what it printed, also
 * when it failed; at the time limit its whole process group is killed.
 */
export async function runWrapped(command: string, stdin: Uint8Array, env: Env): Promise<string> {
	const endOnSignal = (signal: NodeJS.Signals): void => {
		killProcessGroup(child.pid);
		process.kill(process.pid, signal);
	};
	for (const signal of CANCELLING) process.once(signal, endOnSignal);
	// node:child_process would cost every refresh 5 ms of start-up
	const child = Bun.spawn(["/bin/sh", "-c", command], {
		...callerEnvironment(env),
		stdin: new Blob([new Uint8Array(stdin)]),
		stdout: "pipe",
		stderr: "ignore",
		detached: true,
	});
	let out = "";
	const readOutput = (async () => {
		const decoder = new TextDecoder();
		for await (const chunk of child.stdout) {
			out += decoder.decode(chunk, { stream: true });
			if (out.length > MAX_OUTPUT) return killProcessGroup(child.pid);
		}
	})();
	// a process that the command started may hold its output open
	const ended = child.exited.then(() => Promise.race([readOutput, Bun.sleep(DRAIN_MS)]));
	const inTime = await Promise.race([ended.then(() => true), Bun.sleep(LIMIT_MS).then(() => false)]).catch(() => true);
	for (const signal of CANCELLING) process.off(signal, endOnSignal);
	if (!inTime) killProcessGroup(child.pid);
	return out.slice(0, MAX_OUTPUT);
}

/**
 * The environment and folder that bin/ccg was called with, for the user's command: for ccg itself it renames the variables of runtimes
 * (`CCG_KEPT_...`), sets some, and changes the folder.
 */
function callerEnvironment(env: Env): { env: Env; cwd?: string } {
	const original: Env = { ...env, BUN_JSC_useJIT: undefined, BUN_RUNTIME_TRANSPILER_CACHE_PATH: undefined };
	for (const [name, value] of Object.entries(env)) {
		const keptName = /^CCG_KEPT_((?:BUN|NODE|JSC|ICU|MIMALLOC|UV|OPENSSL)_\w+|C_INCLUDE_PATH|LIBRARY_PATH)$/.exec(
			name,
		)?.[1];
		if (keptName) original[keptName] = value;
		if (keptName || name === "CCG_CWD") original[name] = undefined;
	}
	return { env: original, ...(env.CCG_CWD && existsSync(env.CCG_CWD) && { cwd: env.CCG_CWD }) };
}

/** With these signals Claude Code ends a run; the command, in a group of its own, does not get them. */
const CANCELLING = ["SIGTERM", "SIGINT", "SIGHUP"] as const;

/** Kills the command and the processes it started. */
function killProcessGroup(pid: number): void {
	// (it may have ended by itself)
	tryOrUndefined(() => process.kill(-pid, "SIGKILL"));
}
