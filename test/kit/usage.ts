import type { UsageRecord } from "../../src/core/session/status.ts";

/** A measurement as the status line leaves it. */
export const usage = (changes: Partial<UsageRecord> = {}): UsageRecord => ({
	at: "2026-03-01T10:00:00.000Z",
	source: "status line",
	model: "claude-opus-5-5",
	claudeVersion: "2.1.329",
	cwd: "",
	transcriptPath: "",
	tokens: 130_000,
	window: 200_000,
	trigger: 167_000,
	why: "formula",
	distance: 37_000,
	zone: "flush",
	...changes,
});
