import type { Json } from "./json.ts";
import { isSince, REFUSALS_MARKED_SINCE } from "./provenance.ts";

/**
 * What Claude Code wrote beside a tool's result of who decided on the call. A tool, a server or a hook fills the result and its
 * text; it can't set these.
 */
export interface Ruling {
	/** Why a call was refused: `user-rejected`, `permission-rule`, `interrupted`, …; `""` when it was not. */
	denial: string;
	/** Who allowed or refused it: `user_temporary`, `user_permanent`, `user_reject`, `config`, `hook`, …; `""` where it is not told. */
	by: string;
	/** What the user said when refusing; `null` where it is not told apart from the result's text. */
	words: string | null;
}

/**
 * The ruling on a result that may be a decision: a failed one, an answer, a plan's approval. Without it where the line's version
 * writes none, and then only shapes tell. `granted`: what a person allowed in Claude Code's permission prompt, and for how long.
 */
export function rulingOf(line: Json, result: { failed: boolean; text: string }): { ruling?: Ruling; granted?: string } {
	const { toolDenialKind: denial, permissionDecision: decision, userFeedback: words } = line;
	if (denial === undefined && decision === undefined && !isSince(line.version, REFUSALS_MARKED_SINCE)) return {};
	const by = field(decision, "source");
	// a rule that a person once made is no answer to this call
	const isGranted =
		field(decision, "decision") === "accept" && isPersons(by) && field(decision, "reasonType") !== "rule";
	const mayDecide = result.failed || /^User has approved/.test(result.text) || isAnswer(line.toolUseResult);
	return {
		...(mayDecide && {
			ruling: { denial: text(denial), by, words: typeof words === "string" ? words : null },
		}),
		...(isGranted && { granted: field(decision, "grantScope") || "once" }),
	};
}

const isAnswer = (detail: unknown): boolean =>
	detail !== null && typeof detail === "object" && (detail as Json).answers !== undefined;

/** A person at Claude Code's own prompt, or in a program that shows it. */
export const isPersons = (by: string): boolean => by === "user_temporary" || by === "user_permanent";

const text = (value: unknown): string => (typeof value === "string" ? value : "");

const field = (value: unknown, name: string): string =>
	value !== null && typeof value === "object" ? text((value as Json)[name]) : "";
