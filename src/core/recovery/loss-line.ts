import { counted } from "../text/text.ts";
import type { LossReport } from "./loss-report.ts";
import { keptPart, restPart, statementsIn } from "./loss-verdict.ts";

/** What a summary does not hold of what the user said, what became of it, and how many of its statements have no source. */
export interface Loss {
	total: number;
	/** Neither in the summary nor back. */
	lost: number;
	back: number;
	/** Comes with the next call. */
	later: number;
	claims: number;
}

/** What the user is told of a compaction; `null` where no summary was seen, or it held everything and claimed nothing. */
export function lossOf(report: Pick<LossReport, "kinds" | "claims" | "summaryChars">): Loss | null {
	if (report.summaryChars === null) return null;
	const { total, lost, back, later } = statementsIn([report]);
	const claims = report.claims.length;
	return lost + back + later + claims > 0 ? { total, lost, back, later, claims } : null;
}

/** One line for the user's terminal. `command` is how the user asks for the report. */
export function lossLine(loss: Loss, command: string): string {
	const parts = [saidPart(loss), claimsPart(loss)].filter(Boolean);
	return `ccg: ${parts.join(". ")}. More: ${command}`;
}

function saidPart(loss: Loss): string {
	const rest = restPart(loss);
	return rest && `the summary kept ${keptPart(loss)} you said; ${rest}`;
}

const claimsPart = ({ claims }: Loss): string =>
	claims === 0
		? ""
		: counted(claims, "statement of the summary has no source", "statements of the summary have no source");
