import type * as z from "zod/mini";
import { emptyState } from "../state/session-state.ts";
import type * as shapes from "./session-snapshot-shape.ts";

export type SessionSnapshot = z.infer<typeof shapes.sessionSnapshot>;
export type HistoryEntry = z.infer<typeof shapes.historyEntry>;
export type Summarised = z.infer<typeof shapes.summarisedEntries>;
export type Plan = z.infer<typeof shapes.plan>;
export type PlanStep = z.infer<typeof shapes.planStep>;
export type EndedTask = z.infer<typeof shapes.endedTask>;
export type Approval = z.infer<typeof shapes.approval>;
export type TokenUsage = z.infer<typeof shapes.tokenUsage>;
export type CountedMessage = z.infer<typeof shapes.countedMessage>;

/** What `ccg sessions` shows of it: a projection of the snapshot (`sessionContext`). */
export interface SessionContext extends Omit<SessionSnapshot, "ended" | "state" | "ended_tasks" | "account"> {
	system_state: SystemState;
	active_tasks: ActiveTask[];
	background_tasks: EndedTask[];
	/** Calls whose result has not been seen. */
	open_calls: Record<string, ShownCall>;
}

export interface SystemState {
	cwd: string;
	branch: string;
	claude_version: string;
	model: string;
	/** Compactions by Claude Code. */
	compactions: number;
	/** Context size of the last answer since the last compaction; `null` while unknown. */
	context_tokens: number | null;
	/** `""` while it runs; why Claude Code said it ended. */
	ended: string;
}

export interface ActiveTask {
	id: string;
	description: string;
	status: "Pending" | "Running" | "Completed" | "Failed";
	/** 0 to 1. Claude Code tells none: begun counts half. */
	progress: number;
	created_at: number;
	updated_at: number;
}

export interface ShownCall {
	tool: string;
	subject: string;
	timestamp: number;
	input?: Record<string, unknown>;
	/** Asked to go on in the background. */
	background?: true;
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
		facts: [],
		recent_history: [],
		long_term_summary: "",
		summarised: { rounds: 0, entries: 0, tokens: 0, left_out: null },
		current_plan: null,
		ended_tasks: [],
		approvals: [],
		tool_stats: { total_calls: 0, by_tool: {}, failures: 0 },
		token_usage: {},
		last_known_environment: null,
		counted_messages: [],
		account: null,
		cursor: { transcript_path: "", transcript_offset: 0, transcript_last: [], event_log_offset: 0 },
	};
}

/** Unix seconds of an ISO time; 0 when there is none. */
export function seconds(at: string): number {
	const ms = Date.parse(at);
	return Number.isNaN(ms) ? 0 : Math.floor(ms / 1000);
}

/** An ISO time of Unix seconds, for people; `an unknown time` for 0. */
export function timeOf(at: number): string {
	return at > 0 && at < 8.64e12 ? `${new Date(at * 1000).toISOString().slice(0, 19)}Z` : "an unknown time";
}
