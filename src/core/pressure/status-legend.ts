import type { Pressure, Zone } from "./pressure.ts";
import type { StatusFacts, Tone } from "./status-parts.ts";

/** An example of each sign of the line, and what it means. */
export const SIGNS: { sign: string; tone: Tone; meaning: string }[] = [
	{ sign: "Opus 5.5", tone: "quiet", meaning: "the model" },
	{ sign: "131k/167k", tone: "flush", meaning: "tokens in the context / where compaction starts" },
	{ sign: "—/167k", tone: "quiet", meaning: "not measured yet: after a start or a compaction" },
	{ sign: "████████░░", tone: "flush", meaning: "the same as a bar" },
	{ sign: "36k to compaction", tone: "flush", meaning: "tokens left before compaction; short: 36k left" },
	{ sign: "compaction due", tone: "imminent", meaning: "none are left; short: due now" },
	{ sign: "(auto-compact off)", tone: "quiet", meaning: "nothing compacts by itself: settings; short: (off)" },
	{
		sign: "(compacts at the limit)",
		tone: "quiet",
		meaning: "this model compacts when its window is full; short: (at the limit)",
	},
	{ sign: "ccg: no data", tone: "quiet", meaning: "Claude Code has told no model or session" },
	{ sign: "● save due", tone: "flush", meaning: "the next tool call tells the agent to save; short: ● save" },
	{ sign: "✓ nudged", tone: "watch", meaning: "the agent was told, once in this cycle" },
	{
		sign: "⚠ hook failed: ccg doctor",
		tone: "imminent",
		meaning: "a hook failed in the last six hours; short: ⚠",
	},
];

const pressureAt = (tokens: number | null, zone: Zone): Pressure => ({
	tokens,
	zone,
	window: 200_000,
	trigger: 167_000,
	why: "formula",
	distance: tokens === null ? null : 167_000 - tokens,
});

const MOMENTS: [name: string, meaning: string, pressure: Pressure, more?: Partial<StatusFacts>][] = [
	["calm", "compaction is far", pressureAt(50_000, "calm")],
	["watch", "it comes into sight", pressureAt(100_000, "watch")],
	[
		"flush",
		"it is near: the next tool call tells the agent to save",
		pressureAt(131_000, "flush"),
		{ cycle: "marker" },
	],
	["nudged", "the agent was told, once in this cycle", pressureAt(140_000, "flush"), { cycle: "nudged" }],
	["imminent", "the next answers bring it", pressureAt(161_000, "imminent"), { cycle: "nudged" }],
	["compacted", "the summary stands; the size is measured with the next answer", pressureAt(null, "unknown")],
	["failed", "a hook of this session failed in the last six hours", pressureAt(50_000, "calm"), { hasFailed: true }],
];

/** A cycle from calm to compacted, then what may happen beside it, for the preview; numbers are made up. */
export const SAMPLES = MOMENTS.map(([name, meaning, pressure, more]) => ({
	name,
	meaning,
	facts: { modelName: "Opus 5.5", cycle: "none", hasFailed: false, pressure, ...more } as StatusFacts,
}));
