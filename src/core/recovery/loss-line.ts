import { counted } from "../text/text.ts";
import type { LossReport } from "./loss-report.ts";
import { backPart, statementsIn } from "./loss-verdict.ts";

/** What a summary lost of what the user said, what of it came back, and how many of its statements have no source. */
export interface Loss {
	total: number;
	lost: number;
	back: number;
	claims: number;
}

/** What the user is told of a compaction; `null` where no summary was seen, or it lost nothing and claimed nothing. */
export function lossOf(report: Pick<LossReport, "kinds" | "claims" | "summaryChars">): Loss | null {
	if (report.summaryChars === null) return null;
	const { total, lost, back } = statementsIn([report]);
	const claims = report.claims.length;
	return lost + claims > 0 ? { total, lost, back, claims } : null;
}

/** One line for the user's terminal. `command` is how the user asks for the report. */
export function lossLine(loss: Loss, command: string): string {
	const parts = [lostPart(loss), claimsPart(loss)].filter(Boolean);
	return `ccg: ${parts.join(". ")}. More: ${command}`;
}

function lostPart({ total, lost, back }: Loss): string {
	if (lost === 0) return "";
	if (total === 1) return `the summary lost the one thing you said; it is ${back === 1 ? "" : "not "}back`;
	return `of ${total} things you said the summary lost ${lost}; ${backPart(lost, back)}`;
}

const claimsPart = ({ claims }: Loss): string =>
	claims === 0
		? ""
		: counted(claims, "statement of the summary has no source", "statements of the summary have no source");
