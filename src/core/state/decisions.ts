import { redactReply } from "../redact/secrets.ts";
import { safeName } from "../text/safe-head.ts";
import { safeText, titleOf, truncate } from "../text/text.ts";
import type { EventOf } from "../transcript/event.ts";
import { isPersonsDecision } from "../transcript/provenance.ts";
import { type Decision, type OpenCall, type SessionState, trimList } from "./session-state.ts";

const REJECTION_SENTENCE = /^(?:Error: )?The user doesn['’]t want to (?:proceed with this tool use|take this action)/;
const USER_SAID = /(?:the user said|To tell you how to proceed, the user said):\s*\n?/;
const NOTE_BEHIND_WORDS = "\n\nNote: The user's next message may contain a correction or preference.";
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
const PROTECTED_DECISIONS = 20;

/** Adds a decision to the state. Where there are too many, the oldest that is a permission or has no words goes first. */
export function addDecision(state: SessionState, decision: Decision): void {
	state.decisions.push(decision);
	const isMinor = ({ kind, words }: Decision): boolean => kind === "allowed" || !words;
	trimList(state, "decisions", isMinor, PROTECTED_DECISIONS);
}

/** Reads the user's decision from a tool result: answer, permission, rejection with words, plan approved or not; `null` for an ordinary result. */
export function readDecision(call: OpenCall, result: EventOf<"result">): DecisionText | null {
	const isPlan = call.tool === "ExitPlanMode";
	if (isRejection(call, result)) {
		const feedback = rejectionWords(result);
		const dialog = call.tool === "AskUserQuestion" ? dialogFeedback(feedback) : null;
		return {
			kind: isPlan ? "plan rejected" : "rejected",
			subject: isPlan ? "plan" : `${call.tool} ${dialog?.meaning ?? call.subject}`.trim(),
			words: truncate(safeText(dialog?.words ?? feedback), 1_500),
		};
	}
	if (!result.failed && isPersonsAnswer(result)) {
		if (isPlan && isApproval(result)) return { kind: "plan approved", subject: planTitle(call), words: "" };
		const answer = call.tool === "AskUserQuestion" && dialogAnswer(call, result);
		if (answer) return answer;
	}
	// for how long a person allowed the call
	const { granted } = result;
	if (!granted) return null;
	const words = granted === "once" ? "" : safeName(granted).slice(0, 100);
	return { kind: "allowed", subject: `${call.tool} ${call.subject}`.trim(), words };
}
type DecisionText = Pick<Decision, "kind" | "subject" | "words">;

/**
 * Whether the user said no to a tool call. Claude Code's mark (`ruling.denial`) decides; without it a structured result that no tool can
 * give; on versions that have neither, the text of the result, but only of Claude Code's own tools: any other may print that text.
 */
export function isRejection({ tool }: { tool: string }, { text, failed, detail, ruling }: EventOf<"result">): boolean {
	if (!failed) return false;
	if (ruling?.denial) return ruling.denial === "user-rejected";
	if (!REJECTION_SENTENCE.test(text)) return false;
	if (detail === REJECTED_DETAIL) return true;
	return !ruling && OWN_TOOLS.has(tool);
}

/** Whether a person gave the answer, also where nothing says who did: a hook, a rule or a mode may answer in the user's place. */
const isPersonsAnswer = ({ ruling }: EventOf<"result">): boolean => !ruling?.by || isPersonsDecision(ruling.by);

/** Whether a result approves the plan: a plan that was only handed to a team's lead is not approved. */
const isApproval = ({ text, detail }: EventOf<"result">): boolean =>
	!/\b(?:submitted|team lead)\b/i.test(text.slice(0, 300)) &&
	(detail as { isAgent?: unknown } | null | undefined)?.isAgent !== true;
/** The user's own words in a rejection, without Claude Code's sentences around them; `""` where there are none. */
function rejectionWords({ text, ruling }: EventOf<"result">): string {
	if (ruling?.words) return ruling.words.trim();
	const leadIn = USER_SAID.exec(text);
	if (!leadIn) return "";
	const words = text.slice(leadIn.index + leadIn[0].length);
	const note = words.lastIndexOf(NOTE_BEHIND_WORDS);
	return (note < 0 ? words : words.slice(0, note)).trim();
}

/** The user's answers in Claude Code's question dialog: structured, or in versions without a `ruling` as a sentence; `null` for none. */
function dialogAnswer({ input }: OpenCall, { text, detail, ruling }: EventOf<"result">): DecisionText | null {
	const answers = (detail as { answers?: unknown } | null | undefined)?.answers;
	let pairs = answers !== null && typeof answers === "object" ? Object.entries(answers) : [];
	if (pairs.length === 0) {
		if (ruling || !/^(?:(?:The )?[Uu]ser (?:has )?answered|Your questions have been answered)/.test(text)) return null;
		const questions = Array.isArray(input?.questions) ? input.questions : [];
		const question = questions.map((entry) => String(entry?.question ?? "")).join(" | ");
		pairs = [[question, text.trim()]];
	}
	const subject = pairs.map(([question]) => question).join(" | ");
	const words = pairs.map(([question, reply]) => redactReply(question, String(reply))).join(" | ");
	return { kind: "answer", subject: truncate(safeText(subject), 600), words: truncate(safeText(words), 1_000) };
}

/** The title of the plan that a call proposes, else "plan". */
const planTitle = ({ input }: OpenCall): string =>
	truncate(safeText(titleOf(String(input?.plan ?? "")) || "plan"), 200);

/**
 * What Claude Code itself writes as the user's feedback when they choose "Chat about this", or end a plan's interview, in
 * AskUserQuestion (2.1.118 to 2.1.329). The user's own in it are the answers and the notes.
 */
const DIALOG_SENTENCES: [start: string, meaning: string][] = [
	["The user wants to clarify these questions.", "the user wants to talk about the questions first"],
	[
		"The user has indicated they have provided enough answers for the plan interview.",
		"the user wants no more questions",
	],
];
/** An answer or a note in such feedback, up to the next question or answer. */
const USERS_WORDS = /^ {2}(?:Answer|User notes): ((?:(?!\n(?:- "| {2}(?:Answer|User notes): | {2}\(No answer)).)*)/gms;
/** For feedback that Claude Code wrote itself: what it means, and the user's own words in it; `null` for any other. */
function dialogFeedback(feedback: string): { meaning: string; words: string } | null {
	const [, meaning] = DIALOG_SENTENCES.find(([start]) => feedback.startsWith(start)) ?? [];
	return meaning
		? { meaning, words: Array.from(feedback.matchAll(USERS_WORDS), ([, words]) => words).join(" | ") }
		: null;
}
