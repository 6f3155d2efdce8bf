import { counted } from "../text/text.ts";
import type { Fate, LossReport } from "./audit.ts";

type Judged = Pick<LossReport, "messages" | "summaryChars">;

/** How many of the user's messages stand where, over these reports. */
export function countFates(reports: readonly Judged[]): Record<Fate | "total", number> {
	const sum = { total: 0, summary: 0, whole: 0, part: 0, neither: 0 };
	for (const { fate } of reports.flatMap(({ messages }) => messages)) {
		sum.total++;
		sum[fate]++;
	}
	return sum;
}

/** What came of it, in one sentence: "The summary holds 4 of the user's 12 messages word for word; the block gave back 6 whole and 2 in part." */
export function lossVerdict(reports: readonly Judged[]): string {
	const seen = reports.filter(({ summaryChars }) => summaryChars !== null);
	const unseen = reports.length - seen.length;
	if (seen.length === 0) return "No summary was seen, so nothing could be compared.";
	return `The ${heldOf(seen, "the user's")}${unseen > 0 ? `; of ${counted(unseen, "compaction")} no summary was seen` : ""}.`;
}

function heldOf(reports: readonly Judged[], whose: string): string {
	const { total, summary, whole, part, neither } = countFates(reports);
	const back = [whole > 0 && `${whole} whole`, part > 0 && `${part} in part`].filter(Boolean).join(" and ");
	return [
		`summary holds ${summary} of ${whose} ${counted(total, "message")} word for word`,
		...(back ? [`the block gave back ${back}`] : []),
		...(neither > 0 ? [`${counted(neither, "is", "are")} in neither`] : []),
	].join("; ");
}

/** What a compaction was started by, as it may stand in a line. */
export const triggerName = (trigger: string): string => (/^\w{1,20}$/.test(trigger) ? trigger : "unknown");

/**
 * What the user is told of a compaction with the first call or prompt behind it; `null` where no summary was seen, or it holds every
 * message. `command`: how the user asks for the report.
 */
export function lossLine(report: Judged, command: string): string | null {
	const { total, summary } = countFates([report]);
	return report.summaryChars === null || summary === total
		? null
		: `ccg: the ${heldOf([report], "your")}. More: ${command}`;
}
