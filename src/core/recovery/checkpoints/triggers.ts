import type { CheckpointType } from "../checkpoint-key.ts";

/** What makes a checkpoint, by the names that stand in it. A compaction's own is `manual` or `auto`, as Claude Code names it. */
export type TriggerName =
	| "precompact"
	| "high_token_usage"
	| "manual_request"
	| "restore_request"
	| "wave_complete"
	| "phase_transition"
	| "time_based";

export type Priority = "critical" | "high" | "medium" | "low";

export interface Trigger {
	type: CheckpointType;
	priority: Priority;
	/** Seconds that may pass from the event to the checkpoint; `null` where any moment will do. */
	mostSeconds: number | null;
	/** When it is taken, for people. */
	when: string;
}

/** Priorities and delays as the document of the agent gives them (docs/checkpoints.md). The most important first. */
export const TRIGGERS: Record<TriggerName, Trigger> = {
	precompact: { type: "precompact", priority: "critical", mostSeconds: 0, when: "before each compaction" },
	high_token_usage: {
		type: "precompact",
		priority: "critical",
		mostSeconds: 0,
		when: "once a cycle, when the use of the context passes the share or an idle session may be compacted",
	},
	restore_request: { type: "manual", priority: "critical", mostSeconds: 0, when: "before another one is restored" },
	manual_request: { type: "manual", priority: "high", mostSeconds: 60, when: "with 'ccg checkpoint save'" },
	wave_complete: {
		type: "wave",
		priority: "high",
		mostSeconds: 60,
		when: "when the last of one or more subagents has ended",
	},
	phase_transition: {
		type: "phase",
		priority: "medium",
		mostSeconds: 300,
		when: "at a turn's end: plan approved, task list finished, branch changed, commit made",
	},
	time_based: { type: "time", priority: "low", mostSeconds: null, when: "at a turn's end" },
};

const ORDER: Priority[] = ["low", "medium", "high", "critical"];

/** The trigger that a checkpoint names; one of a compaction has Claude Code's words. */
export const triggerOf = (named: string): TriggerName =>
	Object.hasOwn(TRIGGERS, named) ? (named as TriggerName) : "precompact";

/** Something that asks for a checkpoint, and why, in words. */
export interface Due {
	trigger: TriggerName;
	reason: string;
}

export const HIGH_USE: Due = { trigger: "high_token_usage", reason: "much of the context is in use" };

/** Several that ask at once make one checkpoint: of the most important, for all their reasons. */
export function mostImportant(due: readonly Due[]): Due | null {
	const [first, ...others] = due.toSorted((a, b) => rank(b.trigger) - rank(a.trigger));
	if (!first) return null;
	return { trigger: first.trigger, reason: [first, ...others].map(({ reason }) => reason).join("; ") };
}

const rank = (trigger: TriggerName): number => ORDER.indexOf(TRIGGERS[trigger].priority);

/** Checkpoints this near to each other are of one moment. */
const SAME_MOMENT_MS = 5_000;

/** Whether a checkpoint that is there already (its trigger, ISO time) does for one that is asked for now. */
export function isCovered(asked: TriggerName, now: Date, last: { trigger: string; at: string } | null): boolean {
	if (!last || asked === "precompact" || asked === "manual_request" || asked === "restore_request") return false;
	const since = now.getTime() - Date.parse(last.at);
	// (a clock that was set back makes any age)
	if (!(Math.abs(since) <= SAME_MOMENT_MS)) return false;
	return rank(triggerOf(last.trigger)) >= rank(asked);
}
