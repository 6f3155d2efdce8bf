import * as z from "zod/mini";
import { boundedListShape, storedShape } from "../base-shapes.ts";
import { sessionState } from "../state/session-state-shape.ts";
import { CHECKPOINT_KEY, CHECKPOINT_TYPES, MAX_KEY_LENGTH } from "./checkpoint-key.ts";

const text = z.string();
const number = z.number();
const maybeText = z.nullable(text);

/** A key leads to other files, so a file in which it has another form counts as damaged. */
const checkpointKey = z.string().check(z.maxLength(MAX_KEY_LENGTH), z.regex(CHECKPOINT_KEY));

/** A checkpoint's facts beside the session's state: what the workspace told when it was taken. */
export const workspace = z.object({
	branch: text,
	/** Name of the linked worktree the session works in; absent in the main one. */
	worktree: z.exactOptional(text),
	/** Last commits, one line each. */
	commits: boundedListShape(text),
	/** From `.active-plan.md` and its companions; `null` where the source is missing. */
	planSummary: maybeText,
	lastFailure: maybeText,
	selfModelAge: maybeText,
	envModelAge: maybeText,
	/** The task kept with `ccg task`; absent without one that is open. */
	task: z.exactOptional(
		z.object({
			goal: text,
			nextAction: text,
			phase: z.exactOptional(text),
			blockers: z.exactOptional(boundedListShape(text)),
			decisions: z.exactOptional(boundedListShape(z.object({ decision: text, reason: text, at: text }))),
		}),
	),
});

/** A memory that could be asked for by its key when a checkpoint was taken; its text stays where it is. */
const memoryFact = z.object({
	category: z.enum(["claude", "serena", "ccg", "claude_md"]),
	key: text,
	bytes: number,
	/** ISO 8601, UTC. */
	modifiedAt: text,
});

/** Subagents that ran beside each other, until none did. */
const wave = z.object({
	number,
	endedAt: text,
	/** `said` is the beginning of the agent's last words. */
	agents: boundedListShape(z.object({ type: text, said: text })),
	/** The checkpoint taken at its end. */
	key: z.exactOptional(text),
});

/** Lines that stand in the context word for word beside a summary, by the bytes at which they begin; without `to` up to now. */
export const kept = z.object({ from: z.number(), to: z.exactOptional(z.number()) });

/** The session's state and the workspace's, at one moment. */
export const checkpoint = storedShape({
	key: checkpointKey,
	/** The moment that its content shows. A compaction's checkpoint is updated when its block is made; its key names when PreCompact ran. */
	at: text,
	session: text,
	trigger: text,
	projectDir: text,
	transcriptPath: text,
	state: sessionState,
	workspace: z.nullable(workspace),
	/** Lines that it need not repeat, since the context holds them beside the summary. */
	kept: z.exactOptional(boundedListShape(kept)),
	/** Absent: `precompact`. */
	type: z.exactOptional(z.enum(CHECKPOINT_TYPES)),
	/** Why it was taken, in words. */
	reason: z.exactOptional(text),
	/** The user's note on it. */
	note: z.exactOptional(text),
	/** Of the project, as the store names it. */
	project: z.exactOptional(text),
	memories: z.exactOptional(boundedListShape(memoryFact)),
	/** The session's last waves, the newest last. */
	waves: z.exactOptional(boundedListShape(wave)),
	/** It came from a file and not from a session of this store; with `id` from another machine that `from` names, as that value. */
	imported: z.exactOptional(z.object({ at: text, from: text, isSealed: z.boolean(), id: z.exactOptional(text) })),
	/** The checksum of all else in the file, as JSON (`checksumOf`). */
	sha256: z.exactOptional(text),
});

/** Checks an object against the schema of checkpoints: gives the checkpoint, or a text that names what does not fit. */
export function checkShape(value: Record<string, unknown>): z.infer<typeof checkpoint> | string {
	if (Number(value.version) > 1) return `written by a newer ccg (${value.version})`;
	const checked = checkpoint.safeParse(value);
	if (checked.success) return checked.data;
	const issue = checked.error.issues[0];
	return `${issue?.path.join(".") || "the file"}: ${issue?.message ?? "not of the schema"}`;
}
