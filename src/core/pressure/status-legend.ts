import type { Pressure } from "./pressure.ts";
import type { StatusFacts, Tone } from "./status-parts.ts";

/** An example of each sign of the line, and what it means. */
export const SIGNS = (
	[
		["Opus 5.5", "quiet", "the model"],
		["131k/167k", "flush", "tokens in the context / where compaction starts"],
		["—/167k", "quiet", "not measured yet: after a start or a compaction"],
		["████████░░", "flush", "the same as a bar"],
		["36k to compaction", "flush", "tokens left before compaction; short: 36k left, due now"],
		["(auto-compact off)", "quiet", "nothing compacts by itself: settings; short: (off)"],
		["(compacts at the limit)", "quiet", "this model compacts when its window is full; short: (at the limit)"],
		["ccg: no data", "quiet", "Claude Code has told no model or session"],
		["good moment to /compact", "calm", "the turn's edits are committed, nothing is open; short: /compact now"],
		["● save due", "flush", "the next tool call tells the agent to save; short: ● save"],
		["✓ nudged", "watch", "the agent was told, once in this cycle"],
		["2 compactions", "quiet", "so many in this session; short: 2×"],
		["cache 45s", "watch", "until the prompt cache expires (statusLine.cacheClock)"],
		["⚠ hook failed: ccg doctor", "imminent", "a hook failed in the last six hours; short: ⚠"],
	] satisfies [sign: string, tone: Tone, meaning: string][]
).map(([sign, tone, meaning]) => ({ sign, tone, meaning }));
/** A sample pressure at so many tokens, with made-up limits. */
const pressureAt = (tokens: number | null, zone: Pressure["zone"]): Pressure => ({
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
	["a good moment", "a turn ended with a commit", pressureAt(120_000, "watch"), { moment: true }],
	["flush", "it is near", pressureAt(131_000, "flush"), { cycle: "marker" }],
	["nudged", "the agent was told to save", pressureAt(140_000, "flush"), { cycle: "nudged" }],
	["imminent", "the next answers bring it", pressureAt(161_000, "imminent"), { cycle: "nudged" }],
	["compacted", "the summary stands; the size is measured with the next answer", pressureAt(null, "unknown")],
	["failed", "something is broken", pressureAt(50_000, "calm"), { hasFailed: true }],
];

/** A cycle from calm to compacted, then what may happen beside it, for the preview; numbers are made up. */
export const SAMPLES = MOMENTS.map(([name, meaning, pressure, more]) => ({
	name,
	meaning,
	facts: { modelName: "Opus 5.5", cycle: "none", hasFailed: false, pressure, ...more } as StatusFacts,
}));
