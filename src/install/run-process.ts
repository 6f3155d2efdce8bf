import { spawn } from "node:child_process";
import type { Env } from "../store/paths.ts";

/** More is counted but not kept. */
const MAX_OUTPUT = 1024 * 1024;

export interface ShellResult {
	/** `null` when it was killed or could not start. */
	exit: number | null;
	stdout: string;
	stderr: string;
	ms: number;
	timedOut: boolean;
}

/**
 * Runs a program the way Claude Code runs a hook: stdin from a pipe, no terminal, a process group of its own, which is
 * killed at the time limit. Never throws; a program that can't start gives its reason as stderr.
 */
export function runProcess(
	[program, ...args]: readonly [string, ...string[]],
	{ cwd, env, stdin = "", timeLimitMs }: { cwd: string; env: Env; stdin?: string; timeLimitMs: number },
): Promise<ShellResult> {
	return new Promise((resolve) => {
		const started = performance.now();
		const child = spawn(program, args, { cwd, env, stdio: ["pipe", "pipe", "pipe"], detached: true });
		const stdout = collect(child.stdout);
		const stderr = collect(child.stderr);
		let timedOut = false;
		const finish = (exit: number | null, reason = ""): void => {
			clearTimeout(timer);
			const ms = Math.round(performance.now() - started);
			resolve({ exit, stdout: stdout(), stderr: reason || stderr(), ms, timedOut });
		};
		const timer = setTimeout(() => {
			timedOut = true;
			killGroup(child.pid);
			finish(null);
		}, timeLimitMs);
		child.on("error", (error) => finish(null, error.message));
		child.on("close", (code) => finish(code));
		// a command need not read its input
		child.stdin.on("error", () => {});
		child.stdin.end(stdin);
	});
}

function collect(stream: NodeJS.ReadableStream): () => string {
	const chunks: Buffer[] = [];
	let size = 0;
	stream.on("data", (chunk: Buffer) => {
		if (size < MAX_OUTPUT) chunks.push(chunk);
		size += chunk.length;
	});
	return () => Buffer.concat(chunks).toString("utf8");
}

function killGroup(pid: number | undefined): void {
	if (!pid) return;
	try {
		process.kill(-pid, "SIGKILL");
	} catch {
		// it ended meanwhile
	}
}
