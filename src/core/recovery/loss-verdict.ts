import { counted } from "../text/text.ts";
import type { LossReport } from "./loss-report.ts";
import { STATEMENTS } from "./said.ts";

/** What became of what the user said. */
export interface Statements {
	total: number;
	verbatim: number;
	/** Kept, but in the summary's own words. */
	reworded: number;
	/** Neither in the summary nor back. */
	lost: number;
	/** Not in the summary, but injected, or read from disk again by itself. */
	back: number;
	/** Not in the summary; comes with the next call. */
	later: number;
}

type Counted = Pick<LossReport, "kinds" | "claims" | "summaryChars">;

export function statementsIn(reports: readonly Pick<LossReport, "kinds">[]): Statements {
	const sum = { total: 0, verbatim: 0, reworded: 0, lost: 0, back: 0, later: 0 };
	for (const { kinds } of reports)
		for (const kind of STATEMENTS) {
			const loss = kinds[kind];
			if (!loss) continue;
			sum.total += loss.total;
			sum.verbatim += loss.verbatim;
			sum.reworded += loss.reworded;
			sum.lost += loss.dropped - loss.droppedBack;
			sum.back += loss.droppedBack - loss.later;
			sum.later += loss.later;
		}
	return sum;
}

/** What came of it, in one sentence: "The summary kept 4 of 7 things the user said; the other 3 are back; 1 claim about you has no source." */
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

function saidPart(statements: Statements): string {
	const { total } = statements;
	if (total === 0) return "Nothing that the user said was there to compare";
	const rest = restPart(statements);
	if (!rest)
		return total === 1 ? "The one thing the user said was kept" : `All ${total} things the user said were kept`;
	return `The summary kept ${keptPart(statements)} the user said; ${rest}`;
}

/** "4 of 7 things" */
export const keptPart = ({ total, lost, back, later }: Rest): string =>
	`${total - lost - back - later || "none"} of ${total} ${total === 1 ? "thing" : "things"}`;

type Rest = Pick<Statements, "total" | "lost" | "back" | "later">;

/** What became of what the summary does not hold: "the other 3 are back", "2 are back, 1 is lost"; `""` where it holds all. */
export function restPart({ total, lost, back, later }: Rest): string {
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

/** Claims about the user, and about things done. */
function countClaims(claims: LossReport["claims"]): { ofUser: number; deeds: number } {
	const deeds = claims.filter(({ about }) => about === "deed").length;
	return { ofUser: claims.length - deeds, deeds };
}

/** One line for the daily log. */
export function reportLine(report: LossReport): string {
	const { trigger, injectedChars } = report;
	const { ofUser, deeds } = countClaims(report.claims);
	const statements = statementsIn([report]);
	const { total, verbatim, reworded } = statements;
	const rest = restPart(statements);
	return (
		`compaction (${/^\w{1,20}$/.test(trigger) ? trigger : "unknown"}): of ${total} statements of the user the summary kept ${verbatim} ` +
		`word for word and ${reworded} in its own words${rest && `; ${rest}`} ` +
		`(${injectedChars.block + injectedChars.followUp} characters injected)` +
		`${ofUser ? `; ${ofUser} claims about the user without a source` : ""}` +
		`${deeds ? `; ${deeds} things said to be done that the record does not show` : ""}`
	);
}
