import type { ChildProcess, StdioOptions } from "node:child_process";

type Environment = Record<string, string | undefined>;

interface Options {
	env?: Environment;
	cwd?: string;
	stdin?: Blob | "ignore";
	stdout?: "pipe" | "ignore";
	stderr?: "ignore";
	detached?: boolean;
}

const childProcess = (): typeof import("node:child_process") => require("node:child_process");

/** `Bun.spawn`, as far as ccg uses it. A program that can't be started ends at once, where Bun throws. */
export function spawn([program = "", ...args]: string[], options: Options = {}) {
	const { env, cwd, stdin = "ignore", stdout = "ignore", detached = false } = options;
	const stdio: StdioOptions = [stdin === "ignore" ? "ignore" : "pipe", stdout, "ignore"];
	const child: ChildProcess = childProcess().spawn(program, args, { env, ...(cwd && { cwd }), stdio, detached });
	// one that reads nothing is no failure
	child.stdin?.on("error", () => {});
	if (stdin instanceof Blob) void stdin.arrayBuffer().then((bytes) => child.stdin?.end(Buffer.from(bytes)));
	const exited = new Promise<number>((resolve) => {
		child.once("error", () => resolve(127));
		child.once("exit", (code) => resolve(code ?? 128));
	});
	return { pid: child.pid, stdout: child.stdout, exited, unref: () => child.unref() };
}

interface SyncOptions {
	env?: Environment;
	stdin?: Uint8Array;
	stdout?: "inherit" | "ignore";
	stderr?: "inherit" | "ignore";
}

/** `Bun.spawnSync`, as far as ccg uses it. */
export function spawnSync([program = "", ...args]: string[], options: SyncOptions = {}): { exitCode: number | null } {
	const { env, stdin, stdout = "ignore", stderr = "ignore" } = options;
	const stdio: StdioOptions = [stdin ? "pipe" : "ignore", stdout, stderr];
	const ran = childProcess().spawnSync(program, args, { env, ...(stdin && { input: stdin }), stdio });
	// EPIPE: it ended before it had read all
	if (ran.error && (ran.error as { code?: string }).code !== "EPIPE") throw ran.error;
	return { exitCode: ran.status };
}
