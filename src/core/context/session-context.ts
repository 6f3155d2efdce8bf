import type { Task } from "../state/session-state.ts";
import type { TranscriptNode } from "../transcript/active-branch.ts";
import type { EnvironmentData } from "./environment.ts";

/**
 * What ccg knows of a session over all its compactions and restarts: a plain JSON value of bounded
 * size. Times are Unix seconds, 0 where the transcript told none. There is no field
 * for credentials, and every text in it has passed `safeText`.
 */
export interface SessionContext {
	version: 1;
	session_id: string;
	created_at: number;
	updated_at: number;
	/** The profile in force; `"default"` when none was chosen. */
	profile: string;
	system_state: SystemState;
	/** What the user demanded, forbade, preferred or answered, and notes saved: a set, in the order learned. */
	facts: string[];
	recent_history: HistoryEntry[];
	long_term_summary: string;
	/** What stands in the summary and what was dropped from it to keep it short. */
	folded: Folded;
	active_tasks: TaskState[];
	current_plan: Plan | null;
	background_tasks: BackgroundTask[];
	approvals: Approval[];
	tool_stats: ToolStats;
	token_usage: Record<string, TokenUsage>;
	last_known_environment: EnvironmentData | null;
	/** Calls whose result has not been seen. */
	open_calls: Record<string, OpenCall>;
	/** The last messages of the API whose tokens were counted: one message is several lines of the transcript. */
	counted_messages: CountedMessage[];
	cursor: Cursor;
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
	/** A message from the queue: Claude Code may write it again. */
	queued?: boolean;
	/** How often it was put into the queue and not taken back; absent once it is known to be given. */
	waits?: number;
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
	background?: true | undefined;
	/** Of a call that changes tasks: what they and the plan were before. */
	undo?: { tasks: Task[]; plan: Plan | null } | undefined;
}

export interface CountedMessage extends Omit<TokenUsage, "messages"> {
	id: string;
	model: string;
}

/** How far the context reaches in what it was folded from. */
export interface Cursor {
	transcript_path: string;
	transcript_offset: number;
	/** The last lines of the active branch, on which what is new hangs. */
	transcript_last?: TranscriptNode[] | undefined;
	ledger_offset: number;
}

export function emptyContext(sessionId: string, now: number): SessionContext {
	return {
		version: 1,
		session_id: sessionId,
		created_at: now,
		updated_at: now,
		profile: "default",
		system_state: {
			cwd: "",
			branch: "",
			claude_version: "",
			model: "",
			compactions: 0,
			context_tokens: null,
			ended: "",
		},
		facts: [],
		recent_history: [],
		long_term_summary: "",
		folded: { folds: 0, entries: 0, tokens: 0, left_out: null },
		active_tasks: [],
		current_plan: null,
		background_tasks: [],
		approvals: [],
		tool_stats: { total_calls: 0, by_tool: {}, failures: 0 },
		token_usage: {},
		last_known_environment: null,
		open_calls: {},
		counted_messages: [],
		cursor: { transcript_path: "", transcript_offset: 0, ledger_offset: 0 },
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
