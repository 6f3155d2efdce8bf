import { redactAnswer } from "../redact/deep.ts";
import { cut, safeText } from "../text/text.ts";
import { isPersons, type Ruling } from "../transcript/ruling.ts";
import { dialogFeedback } from "./dialog-template.ts";
import { directivesOf, standingStrength } from "./directives.ts";
import { countDropped, type Decision, type OpenCall, type SessionState } from "./session-state.ts";

/** What a decision is read from. */
interface Outcome {
	text: string;
	failed: boolean;
	/** The structured result. */
	detail: unknown;
	ruling?: Ruling;
}

const REJECTED = /^(?:Error: )?The user doesn['’]t want to (?:proceed with this tool use|take this action)/;
const SAID = /(?:the user said|To tell you how to proceed, the user said):\s*\n?/;
/** What Claude Code may put behind the user's words. */
const NOTE = "\n\nNote: The user's next message may contain a correction or preference.";
const DENIED =
	/^(?:Error: )?(?:Permission (?:to use|for this action)|Claude requested permissions)[\s\S]{0,2000}(?:denied|haven['’]t granted)/;
/** The structured result of a rejected call; that of a tool which failed begins with "Error: ". */
const REJECTED_DETAIL = "User rejected tool use";

/**
 * Claude Code's own tools whose errors never begin with others' words: a shell's begin with its exit code (seen on 2.0.76 to
 * 2.1.329). Of all other tools (servers, agents, pages, what plugins bring) a rejection's words alone prove nothing.
 */
const OWN_TOOLS = new Set(
	"AskUserQuestion Bash BashOutput Edit ExitPlanMode Glob Grep KillBash KillShell LS MultiEdit NotebookEdit NotebookRead Read TodoWrite Write".split(
		" ",
	),
);

const MAX_DECISIONS = 80;
/** The last ones stay, whatever they say. */
const LAST = 20;

/** The sentences of a correction that stand for the work to come. */
export const lastingIn = (words: string): string[] => directivesOf(words).filter((one) => standingStrength(one) > 0);

/**
 * Notes a decision. Where there are too many, the oldest without words goes first, then the oldest that corrects nothing for longer.
 * What was refused may be told as an interruption too, until the agent goes on. */
export function decide(state: SessionState, decision: Decision): void {
	state.decisions.push(decision);
	while (state.decisions.length > MAX_DECISIONS) {
		const older = state.decisions.slice(0, -LAST);
		const silent = older.findIndex(({ words }) => !words);
		const at = silent >= 0 ? silent : older.findIndex(({ words }) => !lastingIn(words).length);
		state.decisions.splice(Math.max(0, at), 1);
		countDropped(state, "decisions");
	}
	if (decision.kind !== "answer") state.refusedAt = state.order;
}

/** The decision a tool result carries: an answer, a rejection with the user's words, a plan's fate; `null` for ordinary results. */
export function decisionOf(call: OpenCall, result: Outcome): Pick<Decision, "kind" | "subject" | "words"> | null {
	const isPlan = call.tool === "ExitPlanMode";
	if (isRejection(call, result)) {
		const feedback = wordsOf(result);
		const dialog = call.tool === "AskUserQuestion" ? dialogFeedback(feedback) : null;
		return {
			kind: isPlan ? "plan rejected" : "rejected",
			subject: isPlan ? "plan" : `${call.tool} ${dialog?.told ?? call.subject}`.trim(),
			words: cut(safeText(dialog?.words ?? feedback), 1_500),
		};
	}
	if (result.failed || !isPersonsAnswer(result)) return null;
	if (isPlan && isApproval(result)) return { kind: "plan approved", subject: planTitle(call), words: "" };
	if (call.tool === "AskUserQuestion") return answer(call, result);
	return null;
}

/**
 * The user said no to a tool call. What a tool prints does not count: Claude Code's mark does, else a structured result that
 * no tool can give, and on versions that have neither the words, of its own tools.
 */
export function isRejection({ tool }: { tool: string }, { text, failed, detail, ruling }: Outcome): boolean {
	if (!failed) return false;
	if (ruling?.denial) return ruling.denial === "user-rejected";
	if (!REJECTED.test(text)) return false;
	if (detail === REJECTED_DETAIL) return true;
	return !ruling && OWN_TOOLS.has(tool);
}

/** A rule, a mode or a hook refused the call: it did not run, and nobody said a word. */
export function isDenied(
	{ tool }: OpenCall,
	{ text, failed, ruling }: Pick<Outcome, "text" | "failed" | "ruling">,
): boolean {
	if (!failed) return false;
	if (ruling) return ruling.denial !== "" && !["user-rejected", "interrupted", "cancelled"].includes(ruling.denial);
	return OWN_TOOLS.has(tool) && DENIED.test(text);
}

/** A hook, a rule or a mode may answer in the user's place. */
const isPersonsAnswer = ({ ruling }: Outcome): boolean => !ruling || ruling.by === "" || isPersons(ruling.by);

/** A plan handed to a team's lead is no approval. */
const isApproval = ({ text, detail }: Outcome): boolean =>
	!/\b(?:submitted|team lead)\b/i.test(text.slice(0, 300)) &&
	(detail as { isAgent?: unknown } | null | undefined)?.isAgent !== true;

function wordsOf({ text, ruling }: Outcome): string {
	if (ruling?.words) return ruling.words.trim();
	const said = SAID.exec(text);
	if (!said) return "";
	const words = text.slice(said.index + said[0].length);
	const note = words.lastIndexOf(NOTE);
	return (note < 0 ? words : words.slice(0, note)).trim();
}

/** Answers as Claude Code's dialog gives them: structured; where a version tells of no ruling, its sentence will do. */
function answer(
	call: OpenCall,
	{ text, detail, ruling }: Outcome,
): Pick<Decision, "kind" | "subject" | "words"> | null {
	const answers = (detail as { answers?: unknown } | null | undefined)?.answers;
	if (answers !== null && typeof answers === "object" && Object.keys(answers).length > 0) {
		const pairs = Object.entries(answers).map(([question, reply]) => [question, String(reply)] as const);
		return {
			kind: "answer",
			subject: cut(safeText(pairs.map(([question]) => question).join(" | ")), 600),
			words: cut(safeText(pairs.map(([question, reply]) => redactAnswer(question, reply)).join(" | ")), 1_000),
		};
	}
	if (ruling || !/^(?:(?:The )?[Uu]ser (?:has )?answered|Your questions have been answered)/.test(text)) return null;
	const questions = (call.input?.questions as { question?: string }[] | undefined) ?? [];
	const subject = Array.isArray(questions) ? questions.map((q) => String(q?.question ?? "")).join(" | ") : "";
	return {
		kind: "answer",
		subject: cut(safeText(subject), 600),
		words: cut(safeText(redactAnswer(subject, text.trim())), 1_000),
	};
}

function planTitle(call: OpenCall): string {
	const plan = typeof call.input?.plan === "string" ? call.input.plan : "";
	const title = plan.split("\n").find((line) => line.trim());
	return cut(safeText(title?.replace(/^#+\s*/, "").trim() ?? "plan"), 200);
}
