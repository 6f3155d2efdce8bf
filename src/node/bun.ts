import type { ChildProcess, StdioOptions } from "node:child_process";

type Zlib = typeof import("node:zlib");

/** Loaded when one is called: a start pays for each. */
const zlib = (): Zlib => require("node:zlib");
const childProcess = (): typeof import("node:child_process") => require("node:child_process");
// Bun's functions are ports of these two
const width = (): typeof import("string-width") => require("string-width");
const slice = (): typeof import("slice-ansi") => require("slice-ansi");
const yaml = (): typeof import("yaml") => require("yaml");

/** What ccg uses of Bun's global, on Node; `main` is the bundle that runs. A test holds each against Bun's own. */
export const bun = (main: string) => ({
	main,
	stdin: { stream: () => (require("node:stream") as typeof import("node:stream")).Readable.toWeb(process.stdin) },
	spawn,
	spawnSync,
	sleep: (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms)),
	sleepSync: (ms: number): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms),
	semver: { order },
	CryptoHasher,
	// (Bun's are of raw streams)
	inflateSync: (bytes: Uint8Array): Uint8Array => zlib().inflateRawSync(bytes),
	deflateSync: (bytes: Uint8Array, { level }: { level: number }): Uint8Array => zlib().deflateRawSync(bytes, { level }),
	stringWidth: (line: string): number => (PLAIN.test(line) ? line.length : width().default(line)),
	sliceAnsi: (line: string, start: number, end?: number): string => slice().default(line, start, end),
	YAML: { parse: (text: string): unknown => yaml().parse(text) },
});

/** One column each. */
const PLAIN = /^[ -~]*$/;

/** Called by `new`; Node's own hash is what that gives. */
function CryptoHasher(algorithm: string) {
	return (require("node:crypto") as typeof import("node:crypto")).createHash(algorithm);
}

/** -1, 0 or 1: which of two versions is the older. What comes before a release (`1.2.3-beta`) is older than it. */
function order(a: string, b: string): number {
	const [[one, before], [other, after]] = [parts(a), parts(b)];
	const by = compared(one, other);
	if (by !== 0 || before === after) return by;
	return before && after ? compared(before, after) : before ? -1 : 1;
}

/** Its numbers, and what follows them. */
function parts(version: string): [string, string] {
	const [, numbers = "", before = ""] = /^v?(\d+(?:\.\d+){0,2})(?:-([^+]*))?/.exec(version) ?? [];
	return [numbers, before];
}

const compared = (a: string, b: string): number => Math.sign(a.localeCompare(b, "en", { numeric: true }));

interface Options {
	env?: Record<string, string | undefined>;
	cwd?: string;
	stdin?: Blob | Uint8Array | "ignore";
	stdout?: "pipe" | "ignore";
	stderr?: "ignore";
	detached?: boolean;
}

/** `Bun.spawn`, as far as ccg uses it. A program that can't be started ends at once, where Bun throws. */
function spawn([program = "", ...args]: string[], options: Options = {}) {
	const { env, cwd, stdin = "ignore", stdout = "ignore", detached = false } = options;
	const stdio: StdioOptions = [stdin === "ignore" ? "ignore" : "pipe", stdout, "ignore"];
	const child: ChildProcess = childProcess().spawn(program, args, { env, ...(cwd && { cwd }), stdio, detached });
	// one that reads nothing is no failure
	child.stdin?.on("error", () => {});
	if (stdin instanceof Blob) void stdin.arrayBuffer().then((bytes) => child.stdin?.end(Buffer.from(bytes)));
	else if (stdin !== "ignore") child.stdin?.end(stdin);
	const exited = new Promise<number>((resolve) => {
		child.once("error", () => resolve(127));
		child.once("exit", (code) => resolve(code ?? 128));
	});
	return { pid: child.pid, stdout: child.stdout, exited, unref: () => child.unref() };
}

interface SyncOptions {
	env?: Options["env"];
	stdin?: Uint8Array;
	stdout?: "inherit" | "pipe" | "ignore";
	stderr?: "inherit" | "ignore";
}

/** `Bun.spawnSync`, as far as ccg uses it. */
function spawnSync([program = "", ...args]: string[], options: SyncOptions = {}) {
	const { env, stdin, stdout = "ignore", stderr = "ignore" } = options;
	const stdio: StdioOptions = [stdin ? "pipe" : "ignore", stdout, stderr];
	const ran = childProcess().spawnSync(program, args, { env, ...(stdin && { input: stdin }), stdio });
	// EPIPE: it ended before it had read all
	if (ran.error && (ran.error as { code?: string }).code !== "EPIPE") throw ran.error;
	return { exitCode: ran.status, stdout: ran.stdout };
}
