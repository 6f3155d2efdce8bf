import { redactAnswer } from "../redact/deep.ts";
import { cut, safeText } from "../text.ts";
import type { Decision, OpenCall } from "./session-state.ts";

const REJECTED = /^(?:Error: )?The user doesn['’]t want to (?:proceed with this tool use|take this action)/;
const WORDS = /(?:the user said|To tell you how to proceed, the user said):\s*\n?([\s\S]*)$/;
const DENIED =
	/^(?:Error: )?(?:Permission (?:to use|for this action)|Claude requested permissions)[\s\S]*(?:denied|haven['’]t granted)/;

/** The decision a tool result carries: an answer, a rejection with the user's words, a plan's fate; `null` for ordinary results. */
export function decisionOf(
	call: OpenCall,
	result: { text: string; failed: boolean; detail: unknown },
): Pick<Decision, "kind" | "subject" | "words"> | null {
	const { text, failed } = result;
	const isPlan = call.tool === "ExitPlanMode";
	if (isRejection(call, result)) {
		const words = cut(safeText(WORDS.exec(text)?.[1]?.trim() ?? ""), 1_500);
		return {
			kind: isPlan ? "plan rejected" : "rejected",
			subject: isPlan ? "plan" : `${call.tool} ${call.subject}`.trim(),
			words,
		};
	}
	// a server of tools words its own errors
	if (failed && !SPEAKS_FOR_OTHERS.test(call.tool) && DENIED.test(text))
		return { kind: "permission denied", subject: `${call.tool} ${call.subject}`, words: "" };
	if (isPlan && !failed) return { kind: "plan approved", subject: planTitle(call), words: "" };
	if (call.tool === "AskUserQuestion" && !failed) return answer(call, result);
	return null;
}

/** Tools whose errors are others' words: a server's, a page's, a subagent's. */
const SPEAKS_FOR_OTHERS = /^(?:mcp__|Agent$|Task$|WebFetch$|WebSearch$)/;

/**
 * The user said no to a tool call. Of tools that speak for others only what Claude Code marks as a rejection counts, not the
 * words.
 */
export const isRejection = (
	call: { tool: string },
	result: { text: string; failed: boolean; detail: unknown },
): boolean =>
	result.failed &&
	REJECTED.test(result.text) &&
	(!SPEAKS_FOR_OTHERS.test(call.tool) || (typeof result.detail === "string" && /^User rejected/.test(result.detail)));

function answer(
	call: OpenCall,
	result: { text: string; detail: unknown },
): Pick<Decision, "kind" | "subject" | "words"> {
	const answers = (result.detail as { answers?: Record<string, unknown> } | null)?.answers;
	if (answers && typeof answers === "object" && Object.keys(answers).length) {
		const pairs = Object.entries(answers).map(([question, reply]) => [question, String(reply)] as const);
		return {
			kind: "answer",
			subject: cut(safeText(pairs.map(([question]) => question).join(" | ")), 600),
			words: cut(safeText(pairs.map(([question, reply]) => redactAnswer(question, reply)).join(" | ")), 1_000),
		};
	}
	const questions = (call.input?.questions as { question?: string }[] | undefined) ?? [];
	const subject = Array.isArray(questions) ? questions.map((q) => String(q?.question ?? "")).join(" | ") : "";
	return {
		kind: "answer",
		subject: cut(safeText(subject), 600),
		words: cut(safeText(redactAnswer(subject, result.text.trim())), 1_000),
	};
}

function planTitle(call: OpenCall): string {
	const plan = typeof call.input?.plan === "string" ? call.input.plan : "";
	const title = plan.split("\n").find((line) => line.trim());
	return cut(safeText(title?.replace(/^#+\s*/, "").trim() ?? "plan"), 200);
}
