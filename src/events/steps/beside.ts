import { existsSync } from "node:fs";
import type { Env } from "../../store/paths.ts";
import type { Hook } from "../run/event.ts";

/** Starts ccg beside this process: nobody waits for it, and it outlives the session. */
export function startBeside({ root, env, launcher }: Pick<Hook, "root" | "env" | "launcher">, words: string[]): void {
	if (!existsSync(launcher)) return;
	const around: Env = { ...env, CCG_HOME: root };
	const stdio = { stdin: "ignore", stdout: "ignore", stderr: "ignore" } as const;
	Bun.spawn([launcher, ...words], { env: around, cwd: "/", ...stdio, detached: true }).unref();
}

/**
 * Has a checkpoint taken: the status line has no time for it, and what measures after a batch of calls would load everything that
 * reads a transcript.
 */
export const startCheckpoint = (hook: Pick<Hook, "root" | "env" | "launcher">, sid: string): void =>
	startBeside(hook, ["checkpoint", "save", "--auto", "--session", sid]);
