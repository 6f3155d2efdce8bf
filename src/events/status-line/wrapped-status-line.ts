import { existsSync } from "node:fs";
import type { Env } from "../../store/paths.ts";

const MAX_OUTPUT = 64 * 1024;
const DRAIN_MS = 100;
const TIMEOUT_MS = 2_000;

/**
 * Runs the user's own status line command as Claude Code would: through the shell, same stdin, same environment. Gives
 * what it printed, also when it failed; at the timeout its whole process group is ended and what came so far counts.
 */
export async function runWrapped(
	command: string,
	stdin: Uint8Array,
	env: Env,
	timeoutMs = TIMEOUT_MS,
): Promise<string> {
	const cancelled = (signal: NodeJS.Signals): void => {
		endGroup(child.pid);
		process.kill(process.pid, signal);
	};
	// before the command starts, so that none slips through
	for (const signal of CANCELLING) process.once(signal, cancelled);
	// node:child_process would cost every refresh 5 ms of start-up
	const child = Bun.spawn(["/bin/sh", "-c", command], {
		env: asBefore(env),
		...(env.CCG_CWD && existsSync(env.CCG_CWD) && { cwd: env.CCG_CWD }),
		stdin: new Blob([new Uint8Array(stdin)]),
		stdout: "pipe",
		stderr: "ignore",
		detached: true,
	});
	let out = "";
	const read = (async () => {
		const decoder = new TextDecoder();
		for await (const chunk of child.stdout) if (out.length < MAX_OUTPUT) out += decoder.decode(chunk, { stream: true });
	})();
	// once it ended, only what is on its way counts: something it left running may hold its output open
	const ended = child.exited.then(() => Promise.race([read, Bun.sleep(DRAIN_MS)]));
	const inTime = await Promise.race([ended.then(() => true), Bun.sleep(timeoutMs).then(() => false)]).catch(() => true);
	for (const signal of CANCELLING) process.off(signal, cancelled);
	if (!inTime) endGroup(child.pid);
	return out.slice(0, MAX_OUTPUT);
}

/**
 * The environment and (as `cwd`) the folder that the launcher was called with. It takes the runtimes' variables away from
 * ccg's own process, sets some, and starts it elsewhere; none of that is the user's command's concern.
 */
function asBefore(env: Env): Env {
	const before: Env = { ...env, BUN_JSC_useJIT: undefined, BUN_RUNTIME_TRANSPILER_CACHE_PATH: undefined };
	for (const [name, value] of Object.entries(env)) {
		const own = /^CCG_KEPT_((?:BUN|NODE|JSC|ICU|MIMALLOC|UV|OPENSSL)_\w+|C_INCLUDE_PATH|LIBRARY_PATH)$/.exec(name)?.[1];
		if (own) before[own] = value;
		if (own || name === "CCG_CWD") before[name] = undefined;
	}
	return before;
}

/** Claude Code ends a run when the next one is due; the command, in a group of its own, would hear nothing of it. */
const CANCELLING = ["SIGTERM", "SIGINT", "SIGHUP"] as const;

/** Ends the command and what it started. */
function endGroup(pid: number): void {
	try {
		process.kill(-pid, "SIGKILL");
	} catch {
		// it ended by itself
	}
}
