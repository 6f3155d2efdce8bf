import type { BackgroundAccount } from "../state/background-account.ts";
import { emptyState, type SessionState } from "../state/session-state.ts";
import type { TranscriptNode } from "../transcript/active-branch.ts";
import type { EnvironmentData } from "./environment.ts";

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
	/** What the user demanded, forbade, preferred or answered, and notes saved: a set, in the order learned. */
	facts: string[];
	recent_history: HistoryEntry[];
	long_term_summary: string;
	/** What stands in the summary and what was dropped from it to keep it short. */
	folded: Folded;
	current_plan: Plan | null;
	/** Background work that is over; what runs is in `state`. */
	ended_tasks: BackgroundTask[];
	approvals: Approval[];
	tool_stats: ToolStats;
	token_usage: Record<string, TokenUsage>;
	last_known_environment: EnvironmentData | null;
	/** The last messages of the API whose tokens were counted: one message is several lines of the transcript. */
	counted_messages: CountedMessage[];
	/** What Claude Code listed last as running; `null` where its version lists nothing. */
	account: BackgroundAccount | null;
	/** The names in the last results, for a checkpoint. */
	looked_at: LookedAt[];
	cursor: Cursor;
}

/** What `ccg sessions` shows of it: a projection of the snapshot (`sessionContext`). */
export interface SessionContext
	extends Omit<SessionSnapshot, "ended" | "state" | "ended_tasks" | "account" | "looked_at"> {
	system_state: SystemState;
	active_tasks: TaskState[];
	background_tasks: BackgroundTask[];
	/** Calls whose result has not been seen. */
	open_calls: Record<string, OpenCall>;
}

/** The names in a result, and where in the transcript its line begins. */
export interface LookedAt {
	pos: number;
	names: string[];
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

export interface HistoryEntry {
	timestamp: number;
	role: "user" | "assistant" | "tool";
	/** Cut to what is worth reading again; the ledger holds more. */
	content: string;
	/** Of the whole text, estimated at four characters a token: the transcript counts whole messages only. */
	token_count: number;
	/** Id of the entry's line in the ledger. */
	id: string;
	/** Of a tool's entry. */
	tool?: string;
	failed?: boolean;
}

export interface Folded {
	folds: number;
	entries: number;
	tokens: number;
	/** Of these, no longer in the summary's text. */
	left_out: { folds: number; entries: number; from: number; to: number } | null;
}

export interface TaskState {
	id: string;
	description: string;
	status: "Pending" | "Running" | "Completed" | "Failed";
	/** 0 to 1. Claude Code tells none: begun counts half. */
	progress: number;
	created_at: number;
	updated_at: number;
}

export interface Plan {
	goal: string;
	steps: PlanStep[];
	/** Index of the first step that is not done; the number of steps when all are. */
	current_step: number;
	status: "Proposed" | "Approved" | "InProgress" | "Completed";
	/** Where Claude Code keeps its text; `""` when it was not told. */
	path: string;
	updated_at: number;
}

export interface PlanStep {
	id: number;
	description: string;
	status: "Pending" | "InProgress" | "Completed" | "Failed";
	result: string | null;
}

export interface BackgroundTask {
	id: string;
	/** As Claude Code names it (`shell`, `subagent`, `workflow`, …); `schedule` for wake-ups and crons. */
	kind: string;
	description: string;
	status: "running" | "ended" | "interrupted";
	/** Where its output goes; `""` when it was not told. */
	output: string;
	started_at: number;
	seen_at: number;
}

export interface Approval {
	timestamp: number;
	kind: "answer" | "allowed" | "rejected" | "plan approved" | "plan rejected" | "permission denied" | "interrupted";
	tool: string;
	subject: string;
	words: string;
	id: string;
}

export interface ToolStats {
	total_calls: number;
	by_tool: Record<string, number>;
	failures: number;
}

export interface TokenUsage {
	messages: number;
	input_tokens: number;
	output_tokens: number;
	cache_creation_tokens: number;
	cache_read_tokens: number;
}

export interface OpenCall {
	tool: string;
	subject: string;
	timestamp: number;
	input?: Record<string, unknown>;
	/** Asked to go on in the background. */
	background?: true;
}

export interface CountedMessage extends Omit<TokenUsage, "messages"> {
	id: string;
	model: string;
}

/** How far the snapshot reaches in what it was made from. */
export interface Cursor {
	transcript_path: string;
	transcript_offset: number;
	/** The last lines of the active branch, on which what is new hangs. */
	transcript_last: TranscriptNode[];
	ledger_offset: number;
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
		folded: { folds: 0, entries: 0, tokens: 0, left_out: null },
		current_plan: null,
		ended_tasks: [],
		approvals: [],
		tool_stats: { total_calls: 0, by_tool: {}, failures: 0 },
		token_usage: {},
		last_known_environment: null,
		counted_messages: [],
		account: null,
		looked_at: [],
		cursor: { transcript_path: "", transcript_offset: 0, transcript_last: [], ledger_offset: 0 },
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
