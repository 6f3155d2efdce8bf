import { spawn } from "node:child_process";
import type { Env } from "../store/paths.ts";

const MAX_OUTPUT = 64 * 1024;

/**
 * Runs the user's own status line command as Claude Code would: through the shell, same stdin, same environment. Gives
 * what it printed, also when it failed; at the timeout its whole process group is ended and what came so far counts.
 */
export function runWrapped(command: string, stdin: Uint8Array, env: Env, timeoutMs: number): Promise<string> {
	return new Promise((resolve) => {
		const child = spawn("/bin/sh", ["-c", command], { env, stdio: ["pipe", "pipe", "ignore"], detached: true });
		const chunks: Buffer[] = [];
		let size = 0;
		const finish = (): void => {
			clearTimeout(timer);
			resolve(Buffer.concat(chunks).toString("utf8"));
		};
		const timer = setTimeout(() => {
			endGroup(child.pid);
			finish();
		}, timeoutMs);
		child.stdout.on("data", (chunk: Buffer) => {
			if (size < MAX_OUTPUT) chunks.push(chunk);
			size += chunk.length;
		});
		child.on("error", finish);
		child.on("close", finish);
		child.stdin.on("error", () => {});
		child.stdin.end(stdin);
	});
}

function endGroup(pid: number | undefined): void {
	if (!pid) return;
	try {
		process.kill(-pid, "SIGKILL");
	} catch {
		// it ended meanwhile
	}
}
