import { existsSync } from "node:fs";
import { quietly } from "../../files/quietly.ts";
import type { Env } from "../../store/paths.ts";

const MAX_OUTPUT = 64 * 1024;
const DRAIN_MS = 100;
/** Claude Code waits for a command until the next run is due; one that hangs is ended. */
const LIMIT_MS = 30_000;

/**
 * Runs the user's own command as Claude Code would: through the shell, same stdin, same environment. Gives what it printed, also when it
 * failed; at the time limit its whole process group is ended and what came so far counts.
 */
export async function outputOf(command: string, stdin: Uint8Array, env: Env): Promise<string> {
	const endWith = (signal: NodeJS.Signals): void => {
		endGroup(child.pid);
		process.kill(process.pid, signal);
	};
	// before the command starts, so that none slips through
	for (const signal of CANCELLING) process.once(signal, endWith);
	// node:child_process would cost every refresh 5 ms of start-up
	const child = Bun.spawn(["/bin/sh", "-c", command], {
		...commandPlace(env),
		stdin: new Blob([new Uint8Array(stdin)]),
		stdout: "pipe",
		stderr: "ignore",
		detached: true,
	});
	let out = "";
	const read = (async () => {
		const decoder = new TextDecoder();
		for await (const chunk of child.stdout) {
			out += decoder.decode(chunk, { stream: true });
			if (out.length > MAX_OUTPUT) return endGroup(child.pid);
		}
	})();
	// once it ended, only what is on its way counts: something it left running may hold its output open
	const ended = child.exited.then(() => Promise.race([read, Bun.sleep(DRAIN_MS)]));
	const inTime = await Promise.race([ended.then(() => true), Bun.sleep(LIMIT_MS).then(() => false)]).catch(() => true);
	for (const signal of CANCELLING) process.off(signal, endWith);
	if (!inTime) endGroup(child.pid);
	return out.slice(0, MAX_OUTPUT);
}

/**
 * The environment and the folder that the launcher was called with. It takes the runtimes' variables away from
 * ccg's own process, sets some, and starts it elsewhere; none of that is the user's command's concern.
 */
function commandPlace(env: Env): { env: Env; cwd?: string } {
	const before: Env = { ...env, BUN_JSC_useJIT: undefined, BUN_RUNTIME_TRANSPILER_CACHE_PATH: undefined };
	for (const [name, value] of Object.entries(env)) {
		const own = /^CCG_KEPT_((?:BUN|NODE|JSC|ICU|MIMALLOC|UV|OPENSSL)_\w+|C_INCLUDE_PATH|LIBRARY_PATH)$/.exec(name)?.[1];
		if (own) before[own] = value;
		if (own || name === "CCG_CWD") before[name] = undefined;
	}
	return { env: before, ...(env.CCG_CWD && existsSync(env.CCG_CWD) && { cwd: env.CCG_CWD }) };
}

/** Claude Code ends a run when the next one is due; the command, in a group of its own, would hear nothing of it. */
const CANCELLING = ["SIGTERM", "SIGINT", "SIGHUP"] as const;

/** Ends the command and what it started. */
function endGroup(pid: number): void {
	// (it may have ended by itself)
	quietly(() => process.kill(-pid, "SIGKILL"));
}
