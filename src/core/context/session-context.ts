import type { BackgroundAccount } from "../state/background-tasks.ts";
import { type BackgroundTask, emptyState } from "../state/session-state.ts";
import type { TranscriptNode } from "../transcript/active-branch.ts";
import type { EnvironmentData } from "./environment.ts";

/** Background work that is over, and when that was seen. */
export type EndedTask = BackgroundTask & { status: "ended" | "interrupted"; seen: number };

const NO_TOKENS = { input_tokens: 0, output_tokens: 0, cache_creation_tokens: 0, cache_read_tokens: 0 };

/** What the store holds of a session over all its compactions and restarts. */
export type SessionSnapshot = ReturnType<typeof emptySnapshot>;

/**
 * A plain JSON value of bounded size, brought up to date by `applyLine`. Times are Unix seconds, 0 where the transcript told none.
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
	/** What a checkpoint is made of. */
	state: emptyState(),
	ended_tasks: [] as EndedTask[],
	tool_stats: { total_calls: 0, by_tool: {} as Record<string, number>, failures: 0 },
	/** By model. */
	token_usage: {} as Record<string, ReturnType<typeof nothingUsed>>,
	last_known_environment: null as EnvironmentData | null,
	/** The last messages of the API whose tokens were counted: one message is several lines of the transcript. */
	counted_messages: [] as ({ id: string; model: string } & typeof NO_TOKENS)[],
	/** What Claude Code listed last as running; `null` where its version lists nothing. */
	account: null as BackgroundAccount | null,
	/** How far it reaches in the transcript; `transcript_last`: the last lines of the active branch, on which what is new hangs. */
	cursor: { transcript_path: "", transcript_offset: 0, transcript_last: [] as TranscriptNode[] },
});

/** What a model has used before its first message. */
export const nothingUsed = () => ({ messages: 0, ...NO_TOKENS });

/** Unix seconds of an ISO time; 0 when there is none. */
export function seconds(at = ""): number {
	const ms = Date.parse(at);
	return Number.isNaN(ms) ? 0 : Math.floor(ms / 1000);
}
