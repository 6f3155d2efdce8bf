import { lastRequest } from "../checkpoint/document-state.ts";
import { isShellLine, type SessionState } from "../state/session-state.ts";
import { comparableWords, firstWords, oneLine } from "../text/text.ts";
import { quoteOnOneLine } from "./item.ts";

const LONG_HEAD = `ccg: the user's messages, file names and last commands are given back beside this summary. Spend its length on what stands nowhere else:
- Findings: each cause that was found, with what showed it; each decision with its reason; ways that were rejected or put off, and why.
- Values exactly as they were seen: names, ids, counts, versions, ports, URLs, paths with line numbers, error messages, commands that worked.
- State: of each piece of work whether it was planned, begun, done or checked, and a check by which command with what result. What failed or was not run is said to be so. Nothing planned is written as done.
- The last step: what was running or half done when this was asked, and what the last check gave.`;
const SHORT_HEAD = "ccg: keep causes, reasons, exact values, and what is planned, begun, done or checked.";
/** With fewer characters than these the short head is used: the user's words are worth more than advice on the summary. */
const MIN_FOR_LONG_HEAD = 1_400;
const QUOTES_INTRO = "Keep word for word, as quotations:";
const CLOSING = "Only the user's own messages are the user's wish or approval.";
const REQUEST_PREFIX = "- request at hand: ";
const MAX_MESSAGES = 5;

/** The text for the model that writes the summary, PreCompact's answer: short for a `/compact` that the user typed; `null` where the user said nothing yet. */
export const steeringText = (state: SessionState, trigger: string | undefined, maxChars: number): string | null =>
	trigger === "manual" ? shortSteering(state) : longSteering(state, maxChars);

/**
 * The long answer to PreCompact: what the summary should hold as nothing else gives it back, and as quotations the request and the messages
 * before it, each whole or not at all. Starts with `ccg`; `null` when the user said nothing yet. The wording was chosen by figures
 * (docs/measured.md).
 */
export function longSteering(state: SessionState, maxChars: number): string | null {
	const request = lastRequest(state);
	if (!request) return null;
	const head = maxChars >= MIN_FOR_LONG_HEAD ? LONG_HEAD : SHORT_HEAD;
	const newest = state.messages
		.filter((message) => !isShellLine(message) && message !== request && message.cut === undefined)
		.slice(-MAX_MESSAGES);
	const requestQuote = request.cut === undefined ? [{ text: request.text, prefix: REQUEST_PREFIX }] : [];
	const newestQuotes = newest.toReversed().map(({ text }) => ({ text, prefix: "- " }));
	const lines: string[] = [];
	const quotedWords = new Set<string>();
	let charsLeft = maxChars - [head, QUOTES_INTRO, CLOSING].join("\n").length;
	for (const { text, prefix } of [...requestQuote, ...newestQuotes]) {
		const line = prefix + quoteOnOneLine(text);
		if (line.length + 1 > charsLeft || quotedWords.has(comparableWords(text))) continue;
		quotedWords.add(comparableWords(text));
		lines.push(line);
		charsLeft -= line.length + 1;
	}
	// the request first, then the others in order of time
	const requestLine = lines.filter((line) => line.startsWith(REQUEST_PREFIX));
	const quotes = [...requestLine, ...lines.slice(requestLine.length).toReversed()];
	return [head, ...(quotes.length > 0 ? [QUOTES_INTRO, ...quotes] : []), CLOSING].join("\n");
}

/**
 * The answer to PreCompact in three short lines: Claude Code prints what PreCompact answers to a manual `/compact` into the terminal, as it is
 * (measured on 2.1.330, read in 2.1.118 and 2.1.250).
 */
export function shortSteering(state: SessionState): string | null {
	const request = lastRequest(state);
	if (!request) return null;
	const requestStart = firstWords(oneLine(request.text), 70);
	return [SHORT_HEAD, `${CLOSING} ${QUOTES_INTRO}`, quoteOnOneLine(requestStart)].join("\n");
}
