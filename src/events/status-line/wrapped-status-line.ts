import { existsSync, rmSync } from "node:fs";
import { quietly } from "../../files/quietly.ts";
import { errorCode } from "../../files/system-failure.ts";
import { writeText } from "../../store/gate.ts";
import { readText } from "../../store/json-file.ts";
import { withColdLock } from "../../store/lock.ts";
import type { Env } from "../../store/paths.ts";

const MAX_OUTPUT = 64 * 1024;
const DRAIN_MS = 100;
/** So long the status line waits for the command; one that takes longer runs beside it, for so long at most. */
const WAIT_MS = 2_000;
const BESIDE_MS = 30_000;

/**
 * What the user's own command prints. Of a slow one it is what the last run printed that ended: `kept` holds that, and lies there only
 * while the command is slow. Claude Code ends a run when the next one is due, so a slow one would never be seen where much happens.
 */
export async function outputOf(
	command: string,
	stdin: Uint8Array,
	env: Env,
	kept: string | null,
	launcher: string,
): Promise<string> {
	const before = kept && readText(kept, 2 * MAX_OUTPUT);
	if (kept === null || before === null) {
		const { out, inTime } = await runWrapped(command, stdin, env, WAIT_MS);
		if (inTime || !kept) return out;
		quietly(() => writeText(kept, "", { sync: false }));
	}
	const stdio = { stdin, stdout: "ignore", stderr: "ignore" } as const;
	Bun.spawn([launcher, "statusline", "--beside", command], { ...placeOf(env), ...stdio, detached: true }).unref();
	return (before ?? "").match(SHOWN)?.join("") ?? "";
}

/** What a kept output may hold beside text: colours and links. */
const SHOWN =
	/\u001b\[[\d;:]*m|\u001b\]8;[^\u0007\u001b]*(?:\u0007|\u001b\\)|[^\u0000-\u0008\u000b-\u001f\u007f-\u009f]+/g;

/** Runs a slow command beside the status line, one at a time, and keeps what it printed. */
export async function runBeside(command: string, stdin: Uint8Array, env: Env, kept: string): Promise<void> {
	const run = async (): Promise<void> => {
		const started = performance.now();
		const { out, inTime } = await runWrapped(command, stdin, env, BESIDE_MS);
		if (performance.now() - started < WAIT_MS) rmSync(kept, { force: true });
		else if (inTime) writeText(kept, out, { sync: false });
	};
	await withColdLock(kept, run, { waitMs: 0 }).catch((error) => {
		if (errorCode(error) !== "ELOCKED") throw error;
	});
}

/**
 * Runs the command as Claude Code would: through the shell, same stdin, same environment. Gives what it printed, also when it failed; at
 * the time limit its whole process group is ended and what came so far counts.
 */
async function runWrapped(command: string, stdin: Uint8Array, env: Env, limitMs: number) {
	const cancelled = (signal: NodeJS.Signals): void => {
		endGroup(child.pid);
		process.kill(process.pid, signal);
	};
	// before the command starts, so that none slips through
	for (const signal of CANCELLING) process.once(signal, cancelled);
	// node:child_process would cost every refresh 5 ms of start-up
	const child = Bun.spawn(["/bin/sh", "-c", command], {
		...placeOf(env),
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
	const inTime = await Promise.race([ended.then(() => true), Bun.sleep(limitMs).then(() => false)]).catch(() => true);
	for (const signal of CANCELLING) process.off(signal, cancelled);
	if (!inTime) endGroup(child.pid);
	return { out: out.slice(0, MAX_OUTPUT), inTime };
}

/**
 * The environment and the folder that the launcher was called with. It takes the runtimes' variables away from
 * ccg's own process, sets some, and starts it elsewhere; none of that is the user's command's concern.
 */
function placeOf(env: Env): { env: Env; cwd?: string } {
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
	try {
		process.kill(-pid, "SIGKILL");
	} catch {
		// it ended by itself
	}
}
