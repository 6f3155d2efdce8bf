import { counted } from "../text/text.ts";
import type { LossReport } from "./loss-report.ts";
import { STATEMENTS } from "./own-words.ts";

/** What became of what the user said. */
export interface Statements {
	total: number;
	verbatim: number;
	/** Kept, but in the summary's own words. */
	reworded: number;
	lost: number;
	/** Of the lost: injected, or read from disk again by itself. */
	back: number;
}

type Counted = Pick<LossReport, "kinds" | "claims" | "summaryChars">;

export function statementsIn(reports: readonly Pick<LossReport, "kinds">[]): Statements {
	const sum = { total: 0, verbatim: 0, reworded: 0, lost: 0, back: 0 };
	for (const { kinds } of reports)
		for (const kind of STATEMENTS) {
			const loss = kinds[kind];
			if (!loss) continue;
			sum.total += loss.total;
			sum.verbatim += loss.verbatim;
			sum.reworded += loss.reworded;
			sum.lost += loss.dropped;
			sum.back += loss.droppedBack;
		}
	return sum;
}

/** What came of it, in one sentence: "3 of 7 things the user said were lost; all are back; 1 claim about you has no source." */
export function verdict(reports: readonly Counted[]): string {
	if (reports.length > 0 && reports.every(({ summaryChars }) => summaryChars === null))
		return "No summary was seen, so nothing could be compared.";
	const seen = reports.filter(({ summaryChars }) => summaryChars !== null);
	const { ofUser, deeds } = countClaims(seen.flatMap((one) => one.claims));
	const unseen = reports.length - seen.length;
	const parts = [
		saidPart(statementsIn(seen)),
		ofUser === 0 ? "" : counted(ofUser, "claim about you has no source", "claims about you have no source"),
		deeds === 0
			? ""
			: `${counted(deeds, "thing it says was done is", "things it says were done are")} not in the record`,
		unseen === 0 ? "" : `of ${counted(unseen, "compaction")} no summary was seen`,
	];
	return `${parts.filter(Boolean).join("; ")}.`;
}

function saidPart({ total, lost, back }: Statements): string {
	if (total === 0) return "The user had said nothing yet";
	if (lost === 0)
		return total === 1 ? "The one thing the user said was kept" : `All ${total} things the user said were kept`;
	const head = `${lost} of ${counted(total, "thing")} the user said ${lost === 1 ? "was" : "were"} lost`;
	return `${head}; ${backPart(lost, back)}`;
}

/** How many of the lost came back. */
export function backPart(lost: number, back: number): string {
	if (back === lost) return lost === 1 ? "it is back" : lost === 2 ? "both are back" : "all are back";
	if (back === 0) return lost === 1 ? "it is not back" : "none is back";
	return `${back} ${back === 1 ? "is" : "are"} back, ${lost - back} ${lost - back === 1 ? "is" : "are"} not`;
}

/** Claims about the user, and about things done. */
function countClaims(claims: LossReport["claims"]): { ofUser: number; deeds: number } {
	const deeds = claims.filter(({ about }) => about === "deed").length;
	return { ofUser: claims.length - deeds, deeds };
}

/** One line for the daily log. */
export function reportLine(report: LossReport): string {
	const { trigger, injectedChars } = report;
	const { ofUser, deeds } = countClaims(report.claims);
	const { total, verbatim, reworded, lost, back } = statementsIn([report]);
	return (
		`compaction (${/^\w{1,20}$/.test(trigger) ? trigger : "unknown"}): of ${total} statements of the user the summary kept ${verbatim} ` +
		`word for word and ${reworded} in its own words, ${lost} were lost, ${back} of them injected (${injectedChars.block + injectedChars.followUp} characters)` +
		`${ofUser ? `; ${ofUser} claims about the user without a source` : ""}` +
		`${deeds ? `; ${deeds} things said to be done that the record does not show` : ""}`
	);
}
