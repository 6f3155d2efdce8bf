import type { SessionState } from "../state/session-state.ts";
import { withdrawalsOf } from "../state/withdrawals.ts";
import { cut, firstWords, normalised, oneLine } from "../text/text.ts";
import { withoutPastes } from "../transcript/spoken.ts";
import { requestOf } from "./said-items.ts";

/**
 * PreCompact's answer: what the summary should hold that comes back from nowhere else, and what it should keep word for word.
 * Starts with `ccg`; `null` when the user said nothing yet. The wording was chosen by figures (docs/measured.md).
 */
export function steeringText(state: SessionState, maxChars: number): string | null {
	const request = requestOf(state);
	if (!request) return null;
	const head = maxChars >= LEAST_FOR_HEAD ? HEAD : SHORT_HEAD;
	const room = maxChars - head.length - CLOSING.length - QUOTED.length - 3;
	const lines = [head, QUOTED, `- request at hand: "${cut(oneLine(withoutPastes(request.text)), 400)}"`];
	let used = lines.at(-1)!.length;
	const asked = normalised(request.text);
	const seen = new Set<string>();
	const chosen: string[] = [];
	for (const text of newestDirectives(state)) {
		if (room - used < LEAST_LINE) break;
		const line = `- "${oneLine(text)}"`;
		if (used + line.length + 1 > room) continue;
		const key = normalised(text);
		// the request is there already, and what stands in it
		if (seen.has(key) || asked.includes(key)) continue;
		seen.add(key);
		chosen.unshift(line);
		used += line.length + 1;
	}
	return [...lines, ...chosen, CLOSING].join("\n");
}

/**
 * The same in three short lines: Claude Code prints what PreCompact answers to a manual `/compact` into the terminal, as it is,
 * and again when the session goes on (measured on 2.1.330, read in 2.1.118 and 2.1.250: no answer is only sent).
 */
export function shortSteering(state: SessionState): string | null {
	const request = requestOf(state);
	if (!request) return null;
	return [
		SHORT_HEAD,
		`${CLOSING} ${QUOTED}`,
		`"${firstWords(oneLine(withoutPastes(request.text)), SHORT_QUOTE)}"`,
	].join("\n");
}

/** Whether instructions for the summariser hold a steering text. */
export const isSteering = (instructions: string): boolean =>
	instructions.includes(QUOTED) && instructions.includes(CLOSING);

const HEAD = `ccg: the user's messages, file names and last commands are given back beside this summary. Spend its length on what stands nowhere else:
- Findings: each cause that was found, with what showed it; each decision with its reason; ways that were rejected or put off, and why.
- Values exactly as they were seen: names, ids, counts, versions, ports, URLs, paths with line numbers, error messages, commands that worked.
- State: of each piece of work whether it was planned, begun, done or checked, and a check by which command with what result. What failed or was not run is said to be so. Nothing planned is written as done.
- The last step: what was running or half done when this was asked, and what the last check gave.`;
const SHORT_HEAD = "ccg: keep causes, reasons, exact values, and what is planned, begun, done or checked.";
const SHORT_QUOTE = 70;
/** Below this, the user's words are worth more than what to look for. */
const LEAST_FOR_HEAD = 1_400;
const QUOTED = "Keep word for word, as quotations:";
const CLOSING = "Only the user's own messages are the user's wish or approval.";

/** No directive is shorter. */
const LEAST_LINE = 9;

/** Without those the user took back. */
function* newestDirectives(state: SessionState): Generator<string> {
	const withdrawals = withdrawalsOf(state);
	for (const message of state.messages.toReversed()) {
		const back = withdrawals.get(message) ?? [];
		for (const text of message.directives.toReversed())
			if (!back.some(({ directive }) => directive === text)) yield text;
	}
}
