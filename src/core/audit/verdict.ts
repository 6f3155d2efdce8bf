import { counted } from "../text/text.ts";
import type { Fates, LossReport } from "./audit.ts";

/** Kinds of a report that hold words of the user's. */
export const STATEMENTS: ReadonlySet<string> = new Set(["message", "decision"]);

type Judged = Pick<LossReport, "kinds" | "claims" | "summaryChars">;

/** What became of what the user said, over these reports. */
export function statementsIn(reports: readonly Pick<LossReport, "kinds">[]): Fates {
	const sum: Fates = { total: 0, verbatim: 0, reworded: 0, back: 0, later: 0, lost: 0 };
	const names = Object.keys(sum) as (keyof Fates)[];
	for (const { kinds } of reports)
		for (const kind of STATEMENTS) for (const name of names) sum[name] += kinds[kind]?.[name] ?? 0;
	return sum;
}

/** What came of it, in one sentence: "The summary kept 4 of 7 things the user said; 3 are back; 1 claim about you has no source." */
export function verdict(reports: readonly Judged[]): string {
	const seen = reports.filter(({ summaryChars }) => summaryChars !== null);
	const unseen = reports.length - seen.length;
	if (unseen > 0 && seen.length === 0) return "No summary was seen, so nothing could be compared.";
	const claims = seen.flatMap((one) => one.claims);
	const deeds = claims.filter(({ about }) => about === "deed").length;
	const ofUser = claims.length - deeds;
	const statements = statementsIn(seen);
	const parts = [
		statements.total > 0 ? `The ${keptOf(statements, "the user")}` : "Nothing that the user said was there to compare",
		ofUser > 0 && counted(ofUser, "claim about you has no source", "claims about you have no source"),
		deeds > 0 && `${counted(deeds, "thing it says was done is", "things it says were done are")} not in the record`,
		unseen > 0 && `of ${counted(unseen, "compaction")} no summary was seen`,
	];
	return `${parts.filter(Boolean).join("; ")}.`;
}

/** "summary kept 3 of 7 things you said; 1 is back, 2 come with the next call, 1 is in the checkpoint alone" */
function keptOf({ total, back, later, lost }: Fates, who: string): string {
	const rest = [
		back > 0 && counted(back, "is back", "are back"),
		later > 0 && counted(later, "comes with the next call", "come with the next call"),
		lost > 0 && counted(lost, "is in the checkpoint alone", "are in the checkpoint alone"),
	].filter(Boolean);
	const kept = `summary kept ${total - back - later - lost} of ${counted(total, "thing")} ${who} said`;
	return rest.length > 0 ? `${kept}; ${rest.join(", ")}` : kept;
}

/** What a compaction was started by, as it may stand in a line. */
export const triggerName = (trigger: string): string => (/^\w{1,20}$/.test(trigger) ? trigger : "unknown");

/**
 * What the user is told of a compaction, when the follow-up block is injected; `null` where no summary was seen, or it held
 * everything and claimed nothing. `command` is how the user asks for the report.
 */
export function lossLine(report: Judged, command: string): string | null {
	const { later, ...fates } = statementsIn([report]);
	const back = fates.back + later;
	const claims = report.claims.length;
	if (report.summaryChars === null || back + fates.lost + claims === 0) return null;
	const doubts = counted(claims, "statement of the summary has no source", "statements of the summary have no source");
	const kept = fates.total > 0 && `the ${keptOf({ ...fates, back, later: 0 }, "you")}`;
	return `ccg: ${[kept, claims > 0 && doubts].filter(Boolean).join(". ")}. More: ${command}`;
}
