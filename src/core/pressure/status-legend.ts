import type { Pressure, Zone } from "./pressure.ts";
import type { Tone } from "./status-colours.ts";
import type { PartName } from "./status-format.ts";
import type { StatusFacts } from "./status-parts.ts";

const ROWS: [part: PartName, sign: string, tone: Tone, meaning: string][] = [
	["model", "Opus 5.5", "quiet", "the model"],
	["tokens", "131k/167k", "flush", "tokens in the context / where compaction starts"],
	["tokens", "—/167k", "quiet", "not measured yet: after a start or a compaction"],
	["percent", "78%", "flush", "the same as a share"],
	["bar", "████████░░", "flush", "the same as a bar"],
	["left", "36k to compaction", "flush", "tokens left before compaction; short: 36k left"],
	["left", "compaction due", "imminent", "none are left; short: due now"],
	["left", "(auto-compact off)", "quiet", "nothing compacts by itself: settings; short: (off)"],
	["left", "(compacts at the limit)", "quiet", "this model compacts when its window is full; short: (at the limit)"],
	["left", "ccg: no data", "quiet", "Claude Code has told no model or session"],
	["zone", "flush", "flush", "the zone in a word, for terminals without colours"],
	["guard", "■ held back", "alert", "enforced halt gate: changes wait for a task checkpoint; short: ■ held"],
	["guard", "□ one change free", "warn", "a checkpoint was written: the next change passes; short: □ free"],
	["cycle", "● save due", "warn", "the next tool call tells the agent to save; short: ● save"],
	["cycle", "✓ nudged", "told", "the agent was told, once in this cycle"],
	["saved", "saved 14:03", "quiet", "when the last checkpoint was saved"],
	[
		"loss",
		"3 back",
		"told",
		"things you said that the last summary left out and ccg gave back; until your next prompt",
	],
	["loss", "1 lost, 2 back, 2 unsourced", "warn", "some are in neither; statements of the summary without a source"],
	["failure", "⚠ hook failed: ccg doctor", "alert", "a hook failed in the last six hours; short: ⚠"],
	["task", "task: port the parser", "quiet", "the goal of the active task (ccg task)"],
	["branch", "importer", "quiet", "the git branch"],
	["session", "rework the loader", "quiet", "the session's title"],
];

/** What the line shows, by its part: an example of each sign, and what it means. */
export const SIGNS = ROWS.map(([part, sign, tone, meaning]) => ({ part, sign, tone, meaning }));

/** What each colour says. */
export const TONE_MEANINGS: Record<Tone, string> = {
	calm: "more than twice the headroom is left",
	watch: "less than twice the headroom is left",
	flush: "the headroom begins (marker.headroomTokens, 37,000): the agent is told to save",
	imminent: "a quarter of the headroom is left",
	quiet: "no pressure in it: names, times, what is not measured",
	told: "the agent was told, or given back what was lost",
	warn: "something is due, or was lost",
	alert: "something holds back or failed",
};

const BASE: Omit<StatusFacts, "pressure"> = {
	modelName: "Opus 5.5",
	cycle: "none",
	saved: null,
	failureMs: null,
	branch: "importer",
	session: "rework the loader",
	task: "port the parser",
};

const at = (tokens: number | null, zone: Zone): Pressure => ({
	tokens,
	zone,
	window: 200_000,
	trigger: 167_000,
	why: "formula",
	distance: tokens === null ? null : 167_000 - tokens,
});

const MOMENTS: [name: string, meaning: string, pressure: Pressure, more?: Partial<StatusFacts>][] = [
	["calm", "compaction is far", at(50_000, "calm")],
	["watch", "it comes into sight", at(100_000, "watch")],
	["flush", "it is near: the next tool call tells the agent to save", at(131_000, "flush"), { cycle: "marker" }],
	["nudged", "the agent was told, once in this cycle", at(140_000, "flush"), { cycle: "nudged" }],
	["imminent", "the next answers bring it", at(161_000, "imminent"), { cycle: "nudged" }],
	[
		"compacted",
		"the summary stands and lost three things, which are back; the size is measured with the next answer",
		at(null, "unknown"),
		{ saved: "14:03", loss: { lost: 0, back: 3, later: 0, claims: 0 } },
	],
	["next cycle", "as calm, with the time of the last checkpoint", at(31_000, "calm"), { saved: "14:03" }],
	[
		"enforced",
		'guard.mode "enforce", critical: changes wait for a task checkpoint',
		at(161_000, "imminent"),
		{ cycle: "nudged", guard: "held", saved: "14:03" },
	],
	["failed", "a hook of this session failed in the last six hours", at(50_000, "calm"), { failureMs: 60_000 }],
];

/** A cycle from calm to calm, then what may happen beside it, for previews and documents; times and names are made up. */
export const SAMPLES = MOMENTS.map(([name, meaning, pressure, more]) => ({
	name,
	meaning,
	facts: { ...BASE, pressure, ...more } as StatusFacts,
}));
