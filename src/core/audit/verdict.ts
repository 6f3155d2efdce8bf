import { counted } from "../text/text.ts";
import type { Fate, LossReport } from "./audit.ts";

type Judged = Pick<LossReport, "messages" | "summaryChars">;

/** Counts the user's messages of all these reports by where they stand after the compaction (`Fate`), and in total. */
export function countFates(reports: readonly Judged[]): Record<Fate | "total", number> {
	const sum = { total: 0, summary: 0, whole: 0, part: 0, neither: 0 };
	for (const { fate } of reports.flatMap(({ messages }) => messages)) {
		sum.total++;
		sum[fate]++;
	}
	return sum;
}

/** What compactions left of the user's messages, in one sentence: "The summary holds 4 of the user's 12 messages word for word; …". */
export function lossVerdict(reports: readonly Judged[]): string {
	const compared = reports.filter(({ summaryChars }) => summaryChars !== null);
	const others = reports.length - compared.length;
	if (compared.length === 0) return "No summary was seen, so nothing could be compared.";
	return `The ${heldOf(compared, "the user's")}${others > 0 ? `; of ${counted(others, "compaction")} no summary was seen` : ""}.`;
}
/** The counts of these reports as the middle of such a sentence. `whose`: the word for the user's. */
function heldOf(reports: readonly Judged[], whose: string): string {
	const { total, summary, whole, part, neither } = countFates(reports);
	const back = [whole > 0 && `${whole} whole`, part > 0 && `${part} in part`].filter(Boolean).join(" and ");
	return [
		`summary holds ${summary} of ${whose} ${counted(total, "message")} word for word`,
		...(back ? [`the block gave back ${back}`] : []),
		...(neither > 0 ? [`${counted(neither, "is", "are")} in neither`] : []),
	].join("; ");
}

/** A compaction's trigger where it is a plain word, else `unknown`, so that it may stand in a line. */
export const triggerName = (trigger: string): string => (/^\w{1,20}$/.test(trigger) ? trigger : "unknown");

/**
 * The line that the user gets with the first call or prompt behind a compaction; `null` where no summary was seen, or it holds every
 * message. `command`: how the user asks for the report.
 */
export function lossLine(report: Judged, command: string): string | null {
	const { total, summary } = countFates([report]);
	return report.summaryChars === null || summary === total
		? null
		: `ccg: the ${heldOf([report], "your")}. More: ${command}`;
}
