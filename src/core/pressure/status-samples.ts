import type { Zone } from "./pressure.ts";
import type { StatusFacts } from "./status-parts.ts";

/** One moment of a session for previews and documents; the times and names are made up. */
export interface Sample {
	name: string;
	meaning: string;
	facts: StatusFacts;
}

const at = (tokens: number | null, zone: Zone): StatusFacts["pressure"] => ({
	tokens,
	zone,
	window: 200_000,
	trigger: 167_000,
	why: "formula",
	distance: tokens === null ? null : 167_000 - tokens,
});
const BASE: StatusFacts = {
	modelName: "Opus 5.5",
	pressure: null,
	cycle: "none",
	saved: null,
	failureMs: null,
	branch: "importer",
	session: "rework the loader",
	task: "port the parser",
};

/** A cycle from calm to calm, then what may happen beside it. */
export const SAMPLES: readonly Sample[] = [
	{ name: "calm", meaning: "compaction is far", facts: { ...BASE, pressure: at(50_000, "calm") } },
	{ name: "watch", meaning: "it comes into sight", facts: { ...BASE, pressure: at(100_000, "watch") } },
	{
		name: "flush",
		meaning: "it is near: the next tool call tells the agent to save",
		facts: { ...BASE, pressure: at(131_000, "flush"), cycle: "marker" },
	},
	{
		name: "nudged",
		meaning: "the agent was told, once in this cycle",
		facts: { ...BASE, pressure: at(140_000, "flush"), cycle: "nudged" },
	},
	{
		name: "imminent",
		meaning: "the next answers bring it",
		facts: { ...BASE, pressure: at(161_000, "imminent"), cycle: "nudged" },
	},
	{
		name: "compacted",
		meaning: "the summary stands and lost three things, which are back; the size is measured with the next answer",
		facts: { ...BASE, pressure: at(null, "unknown"), saved: "14:03", loss: { lost: 0, back: 3, later: 0, claims: 0 } },
	},
	{
		name: "next cycle",
		meaning: "as calm, with the time of the last checkpoint",
		facts: { ...BASE, pressure: at(31_000, "calm"), saved: "14:03" },
	},
	{
		name: "enforced",
		meaning: 'guard.mode "enforce", critical: changes wait for a task checkpoint',
		facts: { ...BASE, pressure: at(161_000, "imminent"), cycle: "nudged", guard: "held", saved: "14:03" },
	},
	{
		name: "failed",
		meaning: "a hook of this session failed in the last six hours",
		facts: { ...BASE, pressure: at(50_000, "calm"), failureMs: 60_000 },
	},
];
