import type { EntryName } from "../install/hook-parts.ts";
import type { Config } from "../store/config/config.ts";

/** A moment of a session that is played for a command, and what it must answer then. */
export interface Situation {
	part: EntryName;
	/** Its name in the report. */
	run: string;
	event: string;
	/** Of a SessionStart. */
	source?: string;
	/** Whether a flush marker stands. */
	marker?: boolean;
	/** Above this the run is reported as slow. */
	slowMs: number;
	expects: Expectation;
}

export type Expectation =
	/** One JSON object whose `additionalContext` starts so; `orNothing` where the configuration may leave no room. */
	| { kind: "context"; starts: string; orNothing?: boolean }
	/** Plain text that starts so. */
	| { kind: "text"; starts: string }
	| { kind: "nothing"; leavesUsage?: true }
	| { kind: "lines" };

const SLOW_MS = 1_000;
/** The pre-check runs before every tool call. */
const PRE_CHECK_SLOW_MS = 100;
/** Below this the memory's first line may not fit into the budget. */
const SMALL_BUDGET = 800;

/** In the order of a session: later ones build on what the earlier ones left. */
export function situations({ nudge, startup }: Config): Situation[] {
	const silent = nudge.wording === "off";
	const orNothing = startup.maxChars < SMALL_BUDGET;
	const start = { part: "session-start", event: "SessionStart", slowMs: SLOW_MS } as const;
	const preCheck = { part: "pre-tool-use", event: "PreToolUse" } as const;
	return [
		{ ...start, run: "startup", source: "startup", expects: { kind: "context", starts: "ccg memory", orNothing } },
		{
			part: "pre-compact",
			run: "automatic compaction",
			event: "PreCompact",
			slowMs: SLOW_MS,
			expects: { kind: "text", starts: "ccg" },
		},
		{ ...start, run: "after compaction", source: "compact", expects: { kind: "context", starts: "ccg recovery" } },
		{
			part: "post-compact",
			run: "after compaction",
			event: "PostCompact",
			slowMs: SLOW_MS,
			expects: { kind: "nothing" },
		},
		{
			part: "user-prompt-submit",
			run: "first prompt after compaction",
			event: "UserPromptSubmit",
			slowMs: SLOW_MS,
			expects: { kind: "context", starts: "ccg recovery", orNothing: true },
		},
		{
			part: "user-prompt-submit",
			run: "nothing to inject",
			event: "UserPromptSubmit",
			slowMs: SLOW_MS,
			expects: { kind: "nothing" },
		},
		{ ...preCheck, run: "no marker", slowMs: PRE_CHECK_SLOW_MS, expects: { kind: "nothing" } },
		{
			...preCheck,
			run: "marker set",
			marker: true,
			slowMs: SLOW_MS,
			expects: silent ? { kind: "nothing" } : { kind: "context", starts: "ccg nudge" },
		},
		{
			part: "post-tool-batch",
			run: "after a step",
			event: "PostToolBatch",
			slowMs: SLOW_MS,
			expects: { kind: "nothing", leavesUsage: true },
		},
		{
			part: "stop",
			run: "end of a turn",
			event: "Stop",
			slowMs: SLOW_MS,
			expects: { kind: "nothing", leavesUsage: true },
		},
		{
			part: "subagent-stop",
			run: "end of a subagent",
			event: "SubagentStop",
			slowMs: SLOW_MS,
			expects: { kind: "nothing" },
		},
		{ part: "statusline", run: "one refresh", event: "StatusLine", slowMs: SLOW_MS, expects: { kind: "lines" } },
		{
			part: "session-end",
			run: "end of the session",
			event: "SessionEnd",
			slowMs: SLOW_MS,
			expects: { kind: "nothing" },
		},
	];
}
