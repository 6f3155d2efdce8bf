import { counted } from "../text/text.ts";
import type { Fates, LossReport } from "./audit.ts";

/** Kinds of a report that hold words of the user's. */
export const STATEMENTS: ReadonlySet<string> = new Set(["message", "decision"]);

/** What became of what the user said, over these reports. */
export function statementsIn(reports: readonly Pick<LossReport, "kinds">[]): Fates {
	const sum: Fates = { total: 0, verbatim: 0, reworded: 0, back: 0, later: 0, lost: 0 };
	const names = Object.keys(sum) as (keyof Fates)[];
	for (const { kinds } of reports)
		for (const kind of STATEMENTS) for (const name of names) sum[name] += kinds[kind]?.[name] ?? 0;
	return sum;
}

type Judged = Pick<LossReport, "kinds" | "claims" | "summaryChars">;

/** What came of it, in one sentence: "The summary kept 4 of 7 things the user said; the other 3 are back; 1 claim about you has no source." */
export function verdict(reports: readonly Judged[]): string {
	const seen = reports.filter(({ summaryChars }) => summaryChars !== null);
	const unseen = reports.length - seen.length;
	if (unseen > 0 && seen.length === 0) return "No summary was seen, so nothing could be compared.";
	const claims = seen.flatMap((one) => one.claims);
	const deeds = claims.filter(({ about }) => about === "deed").length;
	const ofUser = claims.length - deeds;
	const parts = [
		saidPart(statementsIn(seen)),
		ofUser > 0 && counted(ofUser, "claim about you has no source", "claims about you have no source"),
		deeds > 0 && `${counted(deeds, "thing it says was done is", "things it says were done are")} not in the record`,
		unseen > 0 && `of ${counted(unseen, "compaction")} no summary was seen`,
	];
	return `${parts.filter(Boolean).join("; ")}.`;
}

function saidPart(statements: Fates): string {
	const { total } = statements;
	const rest = restPart(statements);
	if (rest) return `The summary kept ${keptPart(statements)} the user said; ${rest}`;
	if (total === 0) return "Nothing that the user said was there to compare";
	return total === 1 ? "The one thing the user said was kept" : `All ${total} things the user said were kept`;
}

type Missing = Pick<Fates, "total" | "back" | "later" | "lost">;

/** "4 of 7 things" */
const keptPart = ({ total, lost, back, later }: Missing): string =>
	`${total - lost - back - later || "none"} of ${total} ${total === 1 ? "thing" : "things"}`;

/** What became of what the summary does not hold: "the other 3 are back", "2 are back, 1 is lost"; `""` where it holds all. */
function restPart({ total, lost, back, later }: Missing): string {
	const sum = lost + back + later;
	const parts = [
		[back, "is back", "are back"],
		[later, "comes with the next call", "come with the next call"],
		[lost, "is lost", "are lost"],
	] as const;
	const told = parts.filter(([count]) => count > 0);
	return told
		.map(([count, one, many]) => {
			const [alone, together] = sum === total ? ["it", `all ${sum}`] : ["the other", `the other ${sum}`];
			const who = count < sum ? `${count}` : sum === 1 ? alone : together;
			return `${who} ${count === 1 ? one : many}`;
		})
		.join(", ");
}

/** One line for the daily log. */
export function reportLine(report: LossReport): string {
	const { block, followUp } = report.injectedChars;
	const trigger = /^\w{1,20}$/.test(report.trigger) ? report.trigger : "unknown";
	return `compaction (${trigger}): ${verdict([report])} ${block + followUp} characters were injected.`;
}

/** What a summary does not hold of what the user said, what became of it, and how many of its statements have no source. */
export interface Loss extends Missing {
	claims: number;
}

/** What the user is told of a compaction; `null` where no summary was seen, or it held everything and claimed nothing. */
export function lossOf(report: Judged): Loss | null {
	if (report.summaryChars === null) return null;
	const { total, back, later, lost } = statementsIn([report]);
	const claims = report.claims.length;
	return back + later + lost + claims > 0 ? { total, back, later, lost, claims } : null;
}

/** One line for the user's terminal. `command` is how the user asks for the report. */
export function lossLine(loss: Loss, command: string): string {
	const rest = restPart(loss);
	const parts = [
		rest && `the summary kept ${keptPart(loss)} you said; ${rest}`,
		loss.claims > 0 &&
			counted(loss.claims, "statement of the summary has no source", "statements of the summary have no source"),
	];
	return `ccg: ${parts.filter(Boolean).join(". ")}. More: ${command}`;
}
