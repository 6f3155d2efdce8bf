import * as z from "zod/mini";
import { list, recordOf, stored } from "../base-shapes.ts";
import { backgroundAccount, sessionState } from "../state/session-state-shape.ts";
import { transcriptNode } from "../transcript/transcript-node-shape.ts";

const text = z.string();
const number = z.number();
const count = number.check(z.nonnegative());
const maybe = z.exactOptional(number);

export const historyEntry = z.object({
	timestamp: number,
	role: z.enum(["user", "assistant", "tool"]),
	/** Cut to what is worth reading again; the event log holds more. */
	content: text,
	/** Of the whole text, estimated at four characters a token: the transcript counts whole messages only. */
	token_count: count,
	/** Id of the entry's line in the event log. */
	id: text,
	/** Of a tool's entry. */
	tool: z.exactOptional(text),
	failed: z.exactOptional(z.boolean()),
});

export const summarisedEntries = z.object({
	rounds: count,
	entries: count,
	tokens: count,
	/** Of these, no longer in the summary's text. */
	left_out: z.nullable(z.object({ rounds: count, entries: count, from: number, to: number })),
});

export const planStep = z.object({
	id: count,
	description: text,
	status: z.enum(["Pending", "InProgress", "Completed", "Failed"]),
	result: z.nullable(text),
});

export const plan = z.object({
	goal: text,
	steps: list(planStep),
	/** Index of the first step that is not done; the number of steps when all are. */
	current_step: count,
	status: z.enum(["Proposed", "Approved", "InProgress", "Completed"]),
	/** Where Claude Code keeps its text; `""` when it was not told. */
	path: text,
	updated_at: number,
});

export const endedTask = z.object({
	id: text,
	/** As Claude Code names it (`shell`, `subagent`, `workflow`, …); `schedule` for wake-ups and crons. */
	kind: text,
	description: text,
	status: z.enum(["running", "ended", "interrupted"]),
	/** Where its output goes; `""` when it was not told. */
	output: text,
	started_at: number,
	seen_at: number,
});

export const approval = z.object({
	timestamp: number,
	kind: z.enum(["answer", "allowed", "rejected", "plan approved", "plan rejected", "permission denied", "interrupted"]),
	tool: text,
	subject: text,
	words: text,
	id: text,
});

export const toolStats = z.object({ total_calls: count, by_tool: recordOf(count), failures: count });

const tokens = {
	input_tokens: count,
	output_tokens: count,
	cache_creation_tokens: count,
	cache_read_tokens: count,
};
export const tokenUsage = z.object({ messages: count, ...tokens });
export const countedMessage = z.object({ id: text, model: text, ...tokens });

export const processInfo = z.object({ pid: number, name: text, cpu_percent: number, memory_mb: number });

/**
 * The machine and the workspace at one moment. A source that is missing on a machine leaves
 * its field out. No command lines: they hold secrets.
 */
export const environment = z.object({
	/** Unix seconds. */
	captured_at: number,
	workspace: text,
	git: z.exactOptional(z.object({ branch: text })),
	process_count: maybe,
	/** The busiest, at most 20. */
	processes: z.exactOptional(list(processInfo)),
	memory_used_mb: maybe,
	memory_total_mb: maybe,
	disk_usage_percent: maybe,
	battery_percent: maybe,
	uptime_seconds: maybe,
	/** Over one minute. */
	load_average: maybe,
});

/** How far the snapshot reaches in what it was made from. */
export const cursor = z.object({
	transcript_path: text,
	transcript_offset: count,
	/** The last lines of the active branch, on which what is new hangs. */
	transcript_last: list(transcriptNode),
	event_log_offset: count,
});

/**
 * What the store holds of a session over all its compactions and restarts: a plain JSON value of bounded size, brought up to
 * date by `applyLine`. Times are Unix seconds, 0 where the transcript told none. There is no field for credentials, and every
 * text in it has passed `safeText`.
 */
export const sessionSnapshot = stored({
	session_id: text,
	created_at: number,
	updated_at: number,
	/** The profile in force; `"default"` when none was chosen. */
	profile: text,
	/** `""` while it runs; why Claude Code said it ended. */
	ended: text,
	/** The rules its texts went through on their way to the disk (`RULES_VERSION`). */
	redacted_by: text,
	/** What a checkpoint is made of. */
	state: sessionState,
	/** What the user demanded, forbade, preferred or answered, and notes saved: a set, in the order learned. */
	facts: list(text),
	recent_history: list(historyEntry),
	long_term_summary: text,
	/** What stands in the summary and what was dropped from it to keep it short. */
	summarised: summarisedEntries,
	current_plan: z.nullable(plan),
	/** Background work that is over; what runs is in `state`. */
	ended_tasks: list(endedTask),
	approvals: list(approval),
	tool_stats: toolStats,
	token_usage: recordOf(tokenUsage),
	last_known_environment: z.nullable(environment),
	/** The last messages of the API whose tokens were counted: one message is several lines of the transcript. */
	counted_messages: list(countedMessage),
	/** What Claude Code listed last as running; `null` where its version lists nothing. */
	account: z.nullable(backgroundAccount),
	/** The names in the last results, for a checkpoint. */
	cursor,
});
