import type { Checkpoint } from "../../core/recovery/checkpoint.ts";
import { type Fate, fateOf, summaryText } from "../../core/recovery/loss.ts";
import { keptInOwnWords, STATEMENTS, summaryWords } from "../../core/recovery/own-words.ts";
import { sectionsOf } from "../../core/recovery/sections.ts";
import { normalised, oneLine } from "../../core/text/text.ts";

/** One thing the user said, and what became of it. */
export interface Statement {
	said: string;
	/** How the summary has it. */
	fate: Fate;
	/** The summary's own line of it; `""` where it says nothing of it. */
	summary: string;
	/** The user's words stand in what ccg injected. */
	isBack: boolean;
}

/** What the user said up to a checkpoint, in order; judged as `ccg report` does. */
export function statementsOf({ state, workspace }: Checkpoint, summary: string, given: string): Statement[] {
	const text = summaryText(summary);
	const words = summaryWords(summary);
	const whole = normalised(given);
	return sectionsOf(state, workspace)
		.filter(({ kind }) => STATEMENTS.has(kind))
		.flatMap(({ kind, items }) =>
			items.map((item) => {
				const said = item.words ?? oneLine(item.text.replace(/^> /gm, ""));
				const strict = fateOf(item, text);
				const fate = strict === "dropped" && keptInOwnWords(item, words) ? "reworded" : strict;
				return {
					// the request at hand is the last thing said
					order: kind === "request" ? Infinity : item.order,
					said,
					fate,
					summary: fate === "dropped" ? "" : bestLine(summary, said),
					isBack: whole.includes(normalised(said)),
				};
			}),
		)
		.sort((a, b) => a.order - b.order)
		.map(({ order: _, ...statement }) => statement);
}

/** The sentence of a summary that shares most words with what was said. */
function bestLine(summary: string, said: string): string {
	const wanted = new Set(normalised(said).match(/\p{L}{4,}/gu));
	const lines = summary
		.split("\n")
		.flatMap((line) => line.split(/(?<=[.!?])\s/))
		.map((line) => oneLine(line).replace(/^- /, ""));
	const shared = (line: string): number =>
		new Set(
			normalised(line)
				.match(/\p{L}{4,}/gu)
				?.filter((word) => wanted.has(word)),
		).size;
	return lines.reduce((best, line) => (shared(line) > shared(best) ? line : best), "");
}
