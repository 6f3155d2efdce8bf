import { VERDICTS, type Verdict } from "./names.ts";
import type { Trigger } from "./occasions.ts";

/** What one way would have given at one threshold. */
export interface Row {
	trigger: Trigger;
	way: string;
	scope: string;
	threshold: number;
	chances: number;
	given: number;
	verdicts: Record<Verdict, number>;
	/** Of use when what the agent said counts beside its calls. */
	newWithWords: number;
	chars: number;
	/** Given and of use in each half of the sessions. */
	halves: [given: number, use: number][];
}

export const newRow = (key: Pick<Row, "trigger" | "way" | "scope" | "threshold">): Row => ({
	...key,
	chances: 0,
	given: 0,
	verdicts: Object.fromEntries(VERDICTS.map((verdict) => [verdict, 0])) as Row["verdicts"],
	newWithWords: 0,
	chars: 0,
	halves: [
		[0, 0],
		[0, 0],
	],
});

const HEADER =
	"  from  given of chances  of use  (words)  block  convers.  summary  occasion   idle   chars   first half  second half";

/** The rows as a table for each trigger, way and scope. */
export function table(rows: readonly Row[]): string {
	const lines: string[] = [];
	let last = "";
	for (const row of rows.toSorted((a, b) => compare(titleOf(a), titleOf(b)) || a.threshold - b.threshold)) {
		if (titleOf(row) !== last) lines.push("", titleOf(row), HEADER);
		last = titleOf(row);
		lines.push(lineOf(row));
	}
	return lines.join("\n");
}

function lineOf({ threshold, given, chances, verdicts, newWithWords, chars, halves }: Row): string {
	const share = (count: number, width: number): string =>
		(given > 0 ? (count / given).toFixed(2) : "-").padStart(width);
	return [
		String(threshold).padStart(6),
		`${String(given).padStart(7)} of ${String(chances).padEnd(6)}`,
		share(verdicts.new, 9),
		share(newWithWords, 9),
		share(verdicts.block, 7),
		share(verdicts.conversation, 10),
		share(verdicts.summary, 9),
		share(verdicts.occasion, 10),
		share(verdicts.idle, 7),
		String(chars).padStart(8),
		...halves.map(([all, use]) => `${use} of ${all}`.padStart(13)),
	].join("");
}

const titleOf = ({ trigger, way, scope }: Row): string => `${trigger}: ${way} (${scope})`;
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
