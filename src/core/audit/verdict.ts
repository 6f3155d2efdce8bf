import { countWithNoun } from "../text/text.ts";
import type { Fate, LossReport } from "./audit.ts";

type FateReport = Pick<LossReport, "messages" | "summaryChars">;

/** How many of the user's messages in these reports have each fate (`Fate`), and in total. */
export function countFates(reports: readonly FateReport[]): Record<Fate | "total", number> {
	const sum = { total: 0, summary: 0, whole: 0, part: 0, neither: 0 };
	for (const { fate } of reports.flatMap(({ messages }) => messages)) {
		sum.total++;
		sum[fate]++;
	}
	return sum;
}

/** What compactions left of the user's messages, in one sentence: "The summary holds 4 of the user's 12 messages word for word; …". */
export function lossVerdict(reports: readonly FateReport[]): string {
	const compared = reports.filter(({ summaryChars }) => summaryChars !== null);
	const others = reports.length - compared.length;
	if (compared.length === 0) return "No summary was seen, so nothing could be compared.";
	return `The ${countsText(compared, "the user's")}${others > 0 ? `; of ${countWithNoun(others, "compaction")} no summary was seen` : ""}.`;
}
/** The counts of these reports, for such a sentence. `whose`: "your" or "the user's". */
function countsText(reports: readonly FateReport[], whose: string): string {
	const { total, summary, whole, part, neither } = countFates(reports);
	const inBlock = [whole > 0 && `${whole} whole`, part > 0 && `${part} in part`].filter(Boolean).join(" and ");
	return [
		`summary holds ${summary} of ${whose} ${countWithNoun(total, "message")} word for word`,
		...(inBlock ? [`the block gave back ${inBlock}`] : []),
		...(neither > 0 ? [`${countWithNoun(neither, "is", "are")} in neither`] : []),
	].join("; ");
}

/** A compaction's trigger where it is a plain word, else `unknown`, so that it may be printed. */
export const triggerName = (trigger: string): string => (/^\w{1,20}$/.test(trigger) ? trigger : "unknown");

/** The user's line after a compaction; `null` where no summary was seen, or it holds all messages. `command`: asks for the report. */
export function lossLine(report: FateReport, command: string): string | null {
	const { total, summary } = countFates([report]);
	return report.summaryChars === null || summary === total
		? null
		: `ccg: the ${countsText([report], "your")}. More: ${command}`;
}
