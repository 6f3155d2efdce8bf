import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod/mini";
import { foldLate } from "../../core/context/fold.ts";
import { emptyContext, type SessionContext } from "../../core/context/session-context.ts";
import { withLock } from "../kernel-lock.ts";
import { isSessionId, sessionPaths } from "../paths.ts";
import { type FileKind, type Read, readVersioned, writeVersioned } from "../versioned-file.ts";
import { readLate } from "./event-log.ts";

/** A hook waits no longer than this for another one that writes the same session. */
export const HOOK_WAIT_MS = 200;

const number = z.number();
const text = z.string();
const count = number.check(z.nonnegative());

const plan = z.nullable(
	z.object({
		goal: text,
		steps: z.array(
			z.object({
				id: count,
				description: text,
				status: z.enum(["Pending", "InProgress", "Completed", "Failed"]),
				result: z.nullable(text),
			}),
		),
		current_step: count,
		status: z.enum(["Proposed", "Approved", "InProgress", "Completed"]),
		path: text,
		updated_at: number,
	}),
);

const CONTEXT: FileKind<SessionContext> = {
	name: "session context",
	version: 1,
	keepLast: true,
	schema: z.object({
		version: z.literal(1),
		session_id: text,
		created_at: number,
		updated_at: number,
		profile: text,
		system_state: z.object({
			cwd: text,
			branch: text,
			claude_version: text,
			model: text,
			compactions: count,
			context_tokens: z.nullable(number),
			ended: text,
		}),
		facts: z.array(text),
		recent_history: z.array(
			z.object({
				timestamp: number,
				role: z.enum(["user", "assistant", "tool"]),
				content: text,
				token_count: count,
				id: text,
				tool: z.optional(text),
				failed: z.optional(z.boolean()),
				queued: z.optional(z.boolean()),
				waits: z.optional(count),
			}),
		),
		long_term_summary: text,
		folded: z.object({
			folds: count,
			entries: count,
			tokens: count,
			left_out: z.nullable(z.object({ folds: count, entries: count, from: number, to: number })),
		}),
		active_tasks: z.array(
			z.object({
				id: text,
				description: text,
				status: z.enum(["Pending", "Running", "Completed", "Failed"]),
				progress: count,
				created_at: number,
				updated_at: number,
			}),
		),
		current_plan: plan,
		background_tasks: z.array(
			z.object({
				id: text,
				kind: text,
				description: text,
				status: z.enum(["running", "ended", "interrupted"]),
				output: text,
				started_at: number,
				seen_at: number,
			}),
		),
		approvals: z.array(
			z.object({
				timestamp: number,
				kind: z.enum([
					"answer",
					"allowed",
					"rejected",
					"plan approved",
					"plan rejected",
					"permission denied",
					"interrupted",
				]),
				tool: text,
				subject: text,
				words: text,
				id: text,
			}),
		),
		tool_stats: z.object({ total_calls: count, by_tool: z.record(text, count), failures: count }),
		token_usage: z.record(
			text,
			z.object({
				messages: count,
				input_tokens: count,
				output_tokens: count,
				cache_creation_tokens: count,
				cache_read_tokens: count,
			}),
		),
		last_known_environment: z.nullable(
			z.object({
				captured_at: number,
				workspace: text,
				git: z.optional(z.object({ branch: text, uncommitted: z.optional(number) })),
				process_count: z.optional(number),
				processes: z.optional(z.array(z.object({ pid: number, name: text, cpu_percent: number, memory_mb: number }))),
				memory_used_mb: z.optional(number),
				memory_total_mb: z.optional(number),
				disk_usage_percent: z.optional(number),
				battery_percent: z.optional(number),
				uptime_seconds: z.optional(number),
				load_average: z.optional(number),
			}),
		),
		open_calls: z.record(
			text,
			z.object({
				tool: text,
				subject: text,
				timestamp: number,
				input: z.optional(z.record(text, z.unknown())),
				background: z.optional(z.literal(true)),
				undo: z.optional(
					z.object({ tasks: z.array(z.object({ id: text, subject: text, status: text, order: number })), plan }),
				),
			}),
		),
		counted_messages: z.array(
			z.object({
				id: text,
				model: text,
				input_tokens: count,
				output_tokens: count,
				cache_creation_tokens: count,
				cache_read_tokens: count,
			}),
		),
		cursor: z.object({
			transcript_path: text,
			transcript_offset: count,
			transcript_last: z.optional(
				z.array(
					z.object({
						uuid: z.string(),
						parent: z.optional(z.nullable(z.string())),
						kind: z.enum(["prompt", "answer", "result", "other"]),
						messageId: z.optional(z.string()),
					}),
				),
			),
			ledger_offset: count,
		}),
	}) as unknown as FileKind<SessionContext>["schema"],
};

/** What the disk holds of a session's context: absent, good, or left alone with a problem. Never throws. */
export function readContext(root: string, sid: string, now: Date): Read<SessionContext> {
	const path = sessionPaths(root, sid).context;
	const read = readVersioned(path, CONTEXT, now);
	// a file of another session, copied here by hand, says nothing about this one
	if (read.found === "good" && read.value.session_id !== sid)
		return {
			found: "unreadable",
			problem: `session context ${path}: it is of session ${read.value.session_id}; left as it is`,
		};
	return read;
}

/** The context of a session, created when absent; what was written to the ledger without its lock is in it. Throws with code `EUNUSABLE` when the file must be left alone. */
export function loadContext(
	root: string,
	sid: string,
	now: Date,
	problem: (text: string) => void = () => {},
): SessionContext {
	const read = readContext(root, sid, now);
	if (read.found === "newer" || read.found === "unreadable")
		throw Object.assign(new Error(read.problem), { code: "EUNUSABLE" });
	if (read.problem) problem(read.problem);
	const context = read.found === "good" ? read.value : emptyContext(sid, Math.floor(now.getTime() / 1000));
	const late = readLate(root, sid, context.cursor.ledger_offset);
	const whole = late.records.length > 0 ? foldLate(context, late.records) : context;
	return { ...whole, cursor: { ...whole.cursor, ledger_offset: late.end } };
}

/** Writes a context, whole and atomically; the version before it stays beside it. For the holder of the lock. */
export function saveContext(root: string, context: SessionContext): void {
	writeVersioned(sessionPaths(root, context.session_id).context, CONTEXT, context);
}

/**
 * Loads, changes and saves a session's context as its only writer. `change` gives `null` to leave it. Holds the lock for as
 * long as `change` takes; waits `waitMs` for it. Throws `ELOCKED` when another holds it, `EUNUSABLE` when the file on disk
 * must be left alone, and what the file system says.
 */
export function updateContext(
	root: string,
	sid: string,
	now: Date,
	change: (context: SessionContext) => SessionContext | null,
	{ waitMs = HOOK_WAIT_MS, problem }: { waitMs?: number; problem?: (text: string) => void } = {},
): SessionContext | null {
	return withLock(
		sessionPaths(root, sid).contextLock,
		() => {
			const changed = change(loadContext(root, sid, now, problem));
			if (changed) saveContext(root, changed);
			return changed;
		},
		{ waitMs },
	);
}

/** The ids of all sessions the store knows, with or without a context. */
export function listContexts(root: string): string[] {
	try {
		return readdirSync(join(root, "sessions")).filter(isSessionId).sort();
	} catch {
		return [];
	}
}

/** Removes everything the store keeps of a session. Gives whether there was anything. Throws `ELOCKED` while a hook writes it. */
export function deleteSession(root: string, sid: string, { waitMs = 2_000 }: { waitMs?: number } = {}): boolean {
	const { folder, marker, giveMarker, haltMarker, statusLineSeen, project, contextLock } = sessionPaths(root, sid);
	const isThere = existsSync(folder);
	withLock(
		contextLock,
		() => {
			for (const path of [marker, giveMarker, haltMarker, statusLineSeen, project]) rmSync(path, { force: true });
			rmSync(folder, { recursive: true, force: true });
		},
		{ waitMs, removing: true },
	);
	return isThere;
}
