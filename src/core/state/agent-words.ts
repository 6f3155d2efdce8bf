import { cut, safeText } from "../text/text.ts";
import { countDropped, type SessionState } from "./session-state.ts";

const MAX_QUESTIONS = 5;
const MAX_ASSUMPTIONS = 6;
const TO_THE_USER =
	/\b(?:you|your|should i|shall i|can i|may i|do i|want me|would it be|which (?:one|option|of)|or should)\b/i;
const ASSUMES =
	/\b(?:i(?:'m| am|'ll| will)? ?assum(?:e|ed|ing)|assuming|my assumption|i(?:'ll| will) take it that|presumably)\b/i;

/** Notes what the agent asked the user and what it said it assumes. A question stands until the user's next message. */
export function applyAgentWords(state: SessionState, text: string, at: string): void {
	for (const sentence of sentencesOf(text)) {
		if (sentence.endsWith("?") && TO_THE_USER.test(sentence)) add(state, "questions", sentence, at, MAX_QUESTIONS);
		else if (ASSUMES.test(sentence)) add(state, "assumptions", sentence, at, MAX_ASSUMPTIONS);
	}
}

function add(state: SessionState, name: "questions" | "assumptions", sentence: string, at: string, max: number): void {
	const list = state[name];
	const text = cut(safeText(sentence), 300);
	const before = list.findIndex((one) => one.text === text);
	if (before >= 0) list.splice(before, 1);
	list.push({ text, at, order: state.order });
	if (list.length > max) {
		list.shift();
		countDropped(state, name);
	}
}

/** Sentences of prose: code blocks are passed over, list marks and emphasis taken off. */
function sentencesOf(text: string): string[] {
	return text
		.slice(-60_000)
		.replace(/```[\s\S]*?(?:```|$)/g, "\n")
		.slice(-6_000)
		.split(/(?<=[.!?])\s+|\n+/)
		.map((sentence) =>
			sentence
				.replace(/^[\s>#*+-]*(?:\d+[.)]\s+)?/, "")
				.replace(/\*\*/g, "")
				.trim(),
		)
		.filter((sentence) => sentence.length > 8 && sentence.length < 400);
}
