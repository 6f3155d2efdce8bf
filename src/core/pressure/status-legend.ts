import type { Tone } from "./status-colours.ts";
import type { PartName } from "./status-format.ts";

/** What the line shows, by its part: an example of each sign, and what it means. */
export const SIGNS: readonly { part: PartName; sign: string; tone: Tone; meaning: string }[] = [
	{ part: "model", sign: "Opus 5.5", tone: "quiet", meaning: "the model" },
	{ part: "tokens", sign: "131k/167k", tone: "flush", meaning: "tokens in the context / where compaction starts" },
	{ part: "tokens", sign: "—/167k", tone: "quiet", meaning: "not measured yet: after a start or a compaction" },
	{ part: "percent", sign: "78%", tone: "flush", meaning: "the same as a share" },
	{ part: "bar", sign: "████████░░", tone: "flush", meaning: "the same as a bar" },
	{ part: "left", sign: "36k to compaction", tone: "flush", meaning: "tokens left before compaction; short: 36k left" },
	{ part: "left", sign: "compaction due", tone: "imminent", meaning: "none are left; short: due now" },
	{
		part: "left",
		sign: "(auto-compact off)",
		tone: "quiet",
		meaning: "nothing compacts by itself: settings; short: (off)",
	},
	{
		part: "left",
		sign: "(compacts at the limit)",
		tone: "quiet",
		meaning: "this model compacts when its window is full; short: (at the limit)",
	},
	{ part: "left", sign: "ccg: no data", tone: "quiet", meaning: "Claude Code has told no model or session" },
	{ part: "zone", sign: "flush", tone: "flush", meaning: "the zone in a word, for terminals without colours" },
	{
		part: "guard",
		sign: "■ held back",
		tone: "alert",
		meaning: "enforced halt gate: changes wait for a task checkpoint; short: ■ held",
	},
	{
		part: "guard",
		sign: "□ one change free",
		tone: "warn",
		meaning: "a checkpoint was written: the next change passes; short: □ free",
	},
	{
		part: "cycle",
		sign: "● save due",
		tone: "warn",
		meaning: "the next tool call tells the agent to save; short: ● save",
	},
	{ part: "cycle", sign: "✓ nudged", tone: "told", meaning: "the agent was told, once in this cycle" },
	{ part: "saved", sign: "saved 14:03", tone: "quiet", meaning: "when the last checkpoint was saved" },
	{
		part: "loss",
		sign: "3 back",
		tone: "told",
		meaning: "things you said that the last summary left out and ccg gave back; until your next prompt",
	},
	{
		part: "loss",
		sign: "1 lost, 2 back, 2 unsourced",
		tone: "warn",
		meaning: "some are in neither; statements of the summary without a source",
	},
	{
		part: "failure",
		sign: "⚠ hook failed: ccg doctor",
		tone: "alert",
		meaning: "a hook failed in the last six hours; short: ⚠",
	},
	{ part: "task", sign: "task: port the parser", tone: "quiet", meaning: "the goal of the active task (ccg task)" },
	{ part: "branch", sign: "importer", tone: "quiet", meaning: "the git branch" },
	{ part: "session", sign: "rework the loader", tone: "quiet", meaning: "the session's title" },
];

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
