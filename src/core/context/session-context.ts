import type { BackgroundAccount } from "../state/background-tasks.ts";
import { type BackgroundTask, emptyState, type SessionState } from "../state/session-state.ts";
import type { TranscriptNode } from "../transcript/active-branch.ts";
import type { EnvironmentData } from "./environment.ts";

export interface HistoryEntry {
	timestamp: number;
	role: "user" | "assistant" | "tool";
	/** Cut to what is worth reading again. */
	content: string;
	/** Of the whole text, estimated at four characters a token: the transcript counts whole messages only. */
	token_count: number;
	id: string;
	/** Of a tool's entry. */
	tool?: string;
	failed?: boolean;
}

/** Background work that is over, and when that was seen. */
export type EndedTask = BackgroundTask & { status: "ended" | "interrupted"; seen: number };

const NO_TOKENS = { input_tokens: 0, output_tokens: 0, cache_creation_tokens: 0, cache_read_tokens: 0 };
export type Tokens = typeof NO_TOKENS;

/**
 * What the store holds of a session over all its compactions and restarts: a plain JSON value of bounded size, brought up to
 * date by `applyLine`. Times are Unix seconds, 0 where the transcript told none. There is no field for credentials, and every
 * text in it has passed `safeText`.
 */
export interface SessionSnapshot {
	version: 1;
	session_id: string;
	created_at: number;
	updated_at: number;
	/** The profile in force; `"default"` when none was chosen. */
	profile: string;
	/** `""` while it runs; why Claude Code said it ended. */
	ended: string;
	/** The rules its texts went through on their way to the disk (`RULES_VERSION`). */
	redacted_by: string;
	/** What a checkpoint is made of. */
	state: SessionState;
	recent_history: HistoryEntry[];
	/** The long-term summary, a text for each time that entries were summarised, oldest first. */
	summary: string[];
	/** What was summarised in all: the oldest of it is no longer in the summary's text. */
	summarised: { rounds: number; entries: number; tokens: number };
	ended_tasks: EndedTask[];
	tool_stats: { total_calls: number; by_tool: Record<string, number>; failures: number };
	/** By model. */
	token_usage: Record<string, { messages: number } & Tokens>;
	last_known_environment: EnvironmentData | null;
	/** The last messages of the API whose tokens were counted: one message is several lines of the transcript. */
	counted_messages: ({ id: string; model: string } & Tokens)[];
	/** What Claude Code listed last as running; `null` where its version lists nothing. */
	account: BackgroundAccount | null;
	/** How far it reaches in the transcript; `transcript_last`: the last lines of the active branch, on which what is new hangs. */
	cursor: { transcript_path: string; transcript_offset: number; transcript_last: TranscriptNode[] };
}

export function emptySnapshot(sessionId: string, now: number): SessionSnapshot {
	return {
		version: 1,
		session_id: sessionId,
		created_at: now,
		updated_at: now,
		profile: "default",
		ended: "",
		redacted_by: "",
		state: emptyState(),
		recent_history: [],
		summary: [],
		summarised: { rounds: 0, entries: 0, tokens: 0 },
		ended_tasks: [],
		tool_stats: { total_calls: 0, by_tool: {}, failures: 0 },
		token_usage: {},
		last_known_environment: null,
		counted_messages: [],
		account: null,
		cursor: { transcript_path: "", transcript_offset: 0, transcript_last: [] },
	};
}

/** What a model has used before its first message. */
export const nothingUsed = () => ({ messages: 0, ...NO_TOKENS });

/** Unix seconds of an ISO time; 0 when there is none. */
export function seconds(at = ""): number {
	const ms = Date.parse(at);
	return Number.isNaN(ms) ? 0 : Math.floor(ms / 1000);
}

/** An ISO time of Unix seconds, for people; `an unknown time` for 0. */
export function timeOf(at: number): string {
	return at > 0 && at < 8.64e12 ? `${new Date(at * 1000).toISOString().slice(0, 19)}Z` : "an unknown time";
}
