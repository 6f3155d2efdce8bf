import { existsSync } from "node:fs";
import type { Env } from "../../store/paths.ts";
import type { Session } from "../../store/session-handle.ts";
import type { Hook } from "../run/event.ts";
import type { Measured } from "./measure.ts";

type From = Pick<Hook, "root" | "env" | "launcher">;

/** Starts ccg beside this process: nobody waits for it, and it outlives the session. `stdin`: what a hook reads there. */
export function startBeside({ root, env, launcher }: From, words: string[], stdin?: object): void {
	if (!existsSync(launcher)) return;
	const around: Env = { ...env, CCG_HOME: root };
	const input = stdin ? Buffer.from(JSON.stringify(stdin)) : "ignore";
	const stdio = { stdin: input, stdout: "ignore", stderr: "ignore" } as const;
	Bun.spawn([launcher, ...words], { env: around, cwd: "/", ...stdio, detached: true }).unref();
}

/**
 * Starts what a measurement asks for, a checkpoint or an update of the session's record: the status line has no time for it, and what
 * measures after a batch of calls would load everything that reads a transcript.
 */
export function startDue(from: From, session: Session, { isHigh, isLong, seen }: Measured): void {
	if (isHigh) startBeside(from, ["checkpoint", "save", "--auto", "--session", session.id]);
	const { transcriptPath, projectDir, cwd } = seen;
	if (!isLong || !transcriptPath) return;
	const input = { session_id: session.id, transcript_path: transcriptPath, cwd, hook_event_name: "PostToolBatch" };
	startBeside({ ...from, env: { ...from.env, CLAUDE_PROJECT_DIR: projectDir } }, ["hook", "session-end"], input);
}
