import type { TaskListing } from "../state/background-tasks.ts";
import { type BackgroundTask, emptyState } from "../state/session-state.ts";
import type { TranscriptNode } from "../transcript/active-branch.ts";
import type { EnvironmentData } from "./environment.ts";

/** A background task that has ended, and when (Unix seconds) that was seen. */
export type EndedTask = BackgroundTask & { status: "ended" | "interrupted"; seen: number };

const NO_TOKENS = { input_tokens: 0, output_tokens: 0, cache_creation_tokens: 0, cache_read_tokens: 0 };

/** The record that the store holds of a session, over all its compactions and restarts. */
export type SessionSnapshot = ReturnType<typeof emptySnapshot>;

/**
 * A new session's record, a plain JSON value of bounded size that `applyLine` updates. Times are Unix seconds, 0 where none is known.
 * There is no field for credentials, and every text in it has passed `safeText`.
 */
export const emptySnapshot = (sessionId: string, now: number) => ({
	version: 1 as const,
	session_id: sessionId,
	created_at: now,
	updated_at: now,
	/** `""` while it runs; why Claude Code said it ended. */
	ended: "",
	/** The rules its texts went through on their way to the disk (`RULES_VERSION`). */
	redacted_by: "",
	/** The state that a checkpoint is made of. */
	state: emptyState(),
	ended_tasks: [] as EndedTask[],
	tool_stats: { total_calls: 0, by_tool: {} as Record<string, number>, failures: 0 },
	/** By model. */
	token_usage: {} as Record<string, ReturnType<typeof zeroUsage>>,
	last_known_environment: null as EnvironmentData | null,
	/** The last messages of the API whose tokens were counted: one message is several lines of the transcript. */
	counted_messages: [] as ({ id: string; model: string } & typeof NO_TOKENS)[],
	/** Claude Code's last list of background tasks; `null` where its version gives none. */
	account: null as TaskListing | null,
	/** How far the transcript was read; `transcript_last`: the last lines of the active branch, to which new lines are linked. */
	cursor: { transcript_path: "", transcript_offset: 0, transcript_last: [] as TranscriptNode[] },
});

/** The counts of a model before its first message: all zero. */
export const zeroUsage = () => ({ messages: 0, ...NO_TOKENS });

/** Unix seconds of an ISO time; 0 when there is none. */
export function unixSeconds(at = ""): number {
	const ms = Date.parse(at);
	return Number.isNaN(ms) ? 0 : Math.floor(ms / 1000);
}
