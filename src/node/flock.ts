import type { SpawnSyncReturns } from "node:child_process";
import { existsSync } from "node:fs";

/** flock(2)'s operations, the same on Linux and macOS. */
const UNLOCK = 8;

/** Programs that call flock(2) on a file they inherit; by their places, since PATH may be anybody's. */
const PROGRAMS: [string, ...string[]][] = [
	["/usr/bin/flock", "-x", "-n", "3"],
	["/bin/flock", "-x", "-n", "3"],
	// macOS has no flock; LOCK_EX | LOCK_NB
	["/usr/bin/perl", "-e", 'open(F, ">&=", 3) or exit 2; exit(flock(F, 6) ? 0 : 1)'],
];

/**
 * In the place of `bun:ffi`, for the one function of the C library that ccg can't do without. Node has no flock(2). But the lock belongs to the
 * open file, which a program it starts inherits: that program takes the lock and ends, and this process has it until it closes
 * the file. So it is the same lock as Bun's, and it is free at once when this process dies.
 */
export function dlopen(_library: string, functions: Record<string, unknown>) {
	for (const name of Object.keys(functions)) if (name !== "flock") throw new Error(`${name} is not to be had on Node`);
	return { symbols: { flock } };
}

/** 0 when it is done, -1 when another process holds the lock. Unlocking needs no call: the file is closed next (`src/store/kernel-lock.ts`). */
function flock(fd: number, operation: number): number {
	if (operation === UNLOCK) return 0;
	const { spawnSync } = require("node:child_process") as typeof import("node:child_process");
	const [program, ...args] = PROGRAMS.find(([path]) => existsSync(path)) ?? noProgram();
	const ran: SpawnSyncReturns<Buffer> = spawnSync(program, args, {
		stdio: ["ignore", "ignore", "ignore", fd],
		env: {},
		cwd: "/",
	});
	if (ran.error) throw ran.error;
	if (ran.status !== 0 && ran.status !== 1) throw new Error(`${program} could not lock: it ended with ${ran.status}`);
	return ran.status === 0 ? 0 : -1;
}

/** As when another process holds it: hooks append what they could not write, and a runtime that can lock applies it. */
function noProgram(): never {
	const message = `no lock can be taken: on Node that needs one of ${PROGRAMS.map(([path]) => path).join(", ")}`;
	throw Object.assign(new Error(message), { code: "ELOCKED" });
}
