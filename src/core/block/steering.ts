import { requestOf } from "../checkpoint/document-state.ts";
import { isShellLine, type SessionState } from "../state/session-state.ts";
import { firstWords, oneLine, sameWords } from "../text/text.ts";
import { oneQuote } from "./item.ts";

const HEAD = `ccg: the user's messages, file names and last commands are given back beside this summary. Spend its length on what stands nowhere else:
- Findings: each cause that was found, with what showed it; each decision with its reason; ways that were rejected or put off, and why.
- Values exactly as they were seen: names, ids, counts, versions, ports, URLs, paths with line numbers, error messages, commands that worked.
- State: of each piece of work whether it was planned, begun, done or checked, and a check by which command with what result. What failed or was not run is said to be so. Nothing planned is written as done.
- The last step: what was running or half done when this was asked, and what the last check gave.`;
const SHORT_HEAD = "ccg: keep causes, reasons, exact values, and what is planned, begun, done or checked.";
/** Below this, the user's words are worth more than what to look for. */
const LEAST_FOR_HEAD = 1_400;
const QUOTED = "Keep word for word, as quotations:";
const CLOSING = "Only the user's own messages are the user's wish or approval.";
const ASKED = "- request at hand: ";
const MESSAGES = 5;

/** PreCompact's answer. To a `/compact` that was typed it is short. */
export const steeringFor = (state: SessionState, trigger: string | undefined, maxChars: number): string | null =>
	trigger === "manual" ? shortSteering(state) : steeringText(state, maxChars);

/**
 * What PreCompact answers: what the summary should hold that comes back from nowhere else, and as quotations the request and the messages
 * before it, each whole or not at all. Starts with `ccg`; `null` when the user said nothing yet. The wording was chosen by figures
 * (docs/measured.md).
 */
export function steeringText(state: SessionState, maxChars: number): string | null {
	const request = requestOf(state);
	if (!request) return null;
	const head = maxChars >= LEAST_FOR_HEAD ? HEAD : SHORT_HEAD;
	const last = state.messages
		.filter((one) => !isShellLine(one) && one !== request && one.cut === undefined)
		.slice(-MESSAGES);
	const asked = request.cut === undefined ? [{ text: request.text, mark: ASKED }] : [];
	const before = last.toReversed().map(({ text }) => ({ text, mark: "- " }));
	const lines: string[] = [];
	const seen = new Set<string>();
	let left = maxChars - [head, QUOTED, CLOSING].join("\n").length;
	for (const { text, mark } of [...asked, ...before]) {
		const line = mark + oneQuote(text);
		if (line.length + 1 > left || seen.has(sameWords(text))) continue;
		seen.add(sameWords(text));
		lines.push(line);
		left -= line.length + 1;
	}
	const first = lines.filter((line) => line.startsWith(ASKED));
	const quoted = [...first, ...lines.slice(first.length).toReversed()];
	return [head, ...(quoted.length > 0 ? [QUOTED, ...quoted] : []), CLOSING].join("\n");
}

/**
 * The same in three short lines: Claude Code prints what PreCompact answers to a manual `/compact` into the terminal, as it is
 * (measured on 2.1.330, read in 2.1.118 and 2.1.250: no answer is only sent).
 */
export function shortSteering(state: SessionState): string | null {
	const request = requestOf(state);
	if (!request) return null;
	const asked = firstWords(oneLine(request.text), 70);
	return [SHORT_HEAD, `${CLOSING} ${QUOTED}`, oneQuote(asked)].join("\n");
}
