/** What a whole run of the doctor plays, in its order. */
export const RUNS = [
	["SessionStart", "startup"],
	["PreCompact", "automatic compaction"],
	["SessionStart", "after compaction"],
	["PostCompact", "after compaction"],
	["UserPromptSubmit", "first prompt after compaction"],
	["UserPromptSubmit", "nothing to inject"],
	["PreToolUse", "no marker"],
	["PreToolUse", "marker set"],
	["PostToolBatch", "after a step"],
	["Stop", "end of a turn"],
	["SubagentStop", "end of a subagent"],
	["StatusLine", "one refresh"],
	["PreCompact, SessionEnd", "end of the session"],
];
