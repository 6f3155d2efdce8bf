import type { Checkpoint } from "../../core/recovery/checkpoint.ts";
import type { Fate } from "../../core/recovery/loss.ts";
import { saidIn } from "../../core/recovery/said.ts";
import { saidFate, soughtText } from "../../core/recovery/said-fate.ts";
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
export function statementsOf({ state }: Checkpoint, summary: string, given: string): Statement[] {
	const sought = soughtText(summary);
	const whole = normalised(given);
	return saidIn(state).flatMap(({ text, taken }) => {
		const fate = saidFate(text, sought, taken);
		if (fate === null) return [];
		const isBack = whole.includes(normalised(text));
		return [{ said: oneLine(text), fate, summary: fate === "dropped" ? "" : bestLine(summary, text), isBack }];
	});
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
