import type { SessionSnapshot } from "../../core/context/session-context.ts";
import { emptyState, type SessionState } from "../../core/state/session-state.ts";
import {
	flag,
	listOf,
	literal,
	nullable,
	number,
	object,
	optional,
	recordOf,
	type Schema,
	shape,
	text,
} from "../shape.ts";
import { stateShape } from "./state-shape.ts";

/** Of another version, or lacking what today's has: nothing to be filled in, as the transcript has it. */
function completeState(value: unknown): SessionState {
	const state = stateShape(value);
	const given = value as Record<string, unknown>;
	const missing = Object.keys(emptyState()).find((name) => given[name] === undefined);
	if (missing) throw new Error(`lacks ${missing}`);
	if (state.version !== emptyState().version) throw new Error("is of another version");
	return state;
}

const count: typeof number = (value) => {
	if (number(value) < 0) throw new Error("must not be negative");
	return number(value);
};
const tokens = {
	input_tokens: count,
	output_tokens: count,
	cache_creation_tokens: count,
	cache_read_tokens: count,
};
const history = object({
	timestamp: number,
	role: text,
	content: text,
	token_count: count,
	id: text,
	tool: optional(text),
	failed: optional(flag),
});
const folded = object({
	folds: count,
	entries: count,
	tokens: count,
	left_out: nullable(object({ folds: count, entries: count, from: number, to: number })),
});
const plan = object({
	goal: text,
	steps: listOf(object({ id: count, description: text, status: text, result: nullable(text) })),
	current_step: count,
	status: text,
	path: text,
	updated_at: number,
});
const background = object({
	id: text,
	kind: text,
	description: text,
	status: text,
	output: text,
	started_at: number,
	seen_at: number,
});
const approval = object({ timestamp: number, kind: text, tool: text, subject: text, words: text, id: text });
const environment = object({
	captured_at: number,
	workspace: text,
	git: optional(object({ branch: text, uncommitted: optional(number) })),
	process_count: optional(number),
	memory_used_mb: optional(number),
	memory_total_mb: optional(number),
	disk_usage_percent: optional(number),
	battery_percent: optional(number),
	uptime_seconds: optional(number),
	load_average: optional(number),
});
const cursor = object({
	transcript_path: text,
	transcript_offset: count,
	transcript_last: listOf(
		object({ uuid: text, parent: optional(nullable(text)), kind: text, messageId: optional(text) }),
	),
	ledger_offset: count,
});

/** A session's snapshot in a file. Derived: what does not fit is read from the transcript again, so nothing is filled in. */
export const snapshotShape = shape(
	object({
		version: literal(1),
		session_id: text,
		created_at: number,
		updated_at: number,
		profile: text,
		ended: text,
		redacted_by: text,
		state: completeState,
		facts: listOf(text),
		recent_history: listOf(history),
		long_term_summary: text,
		folded,
		current_plan: nullable(plan),
		ended_tasks: listOf(background),
		approvals: listOf(approval),
		tool_stats: object({ total_calls: count, by_tool: recordOf(count), failures: count }),
		token_usage: recordOf(object({ messages: count, ...tokens })),
		last_known_environment: nullable(environment),
		counted_messages: listOf(object({ id: text, model: text, ...tokens })),
		account: nullable(object({ at: text, tasks: listOf(object({ id: text, kind: text, description: text })) })),
		looked_at: listOf(object({ pos: count, names: listOf(text) })),
		cursor,
	}),
) as unknown as Schema<SessionSnapshot>;
