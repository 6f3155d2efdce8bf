import type { Message, SessionState } from "../state/session-state.ts";
import { oneLine } from "../text/text.ts";
import { brief, oneQuote } from "./item-text.ts";

/** What is left of a message where nothing more fits. */
const BRIEF = 90;

/**
 * One line for a message of the moment: its beginning, and what was done before the next one (the last commit, the last check that
 * worked). `null` where that is no shorter than the message.
 */
export function briefForms({
	messages,
	commits,
	checks,
}: SessionState): (message: Message, note?: string) => string | null {
	const nextOrder = new Map<Message, number>();
	for (const [i, message] of messages.entries()) nextOrder.set(message, messages[i + 1]?.order ?? Infinity);
	const within = <T extends { order: number }>(list: readonly T[], message: Message): T | undefined =>
		list.findLast(({ order }) => order > message.order && order < nextOrder.get(message)!);
	const passed = checks.filter(({ kind, result }) => kind !== "run" && result === "worked");
	return (message, note = "") => {
		const line = oneLine(message.text);
		if (line.length <= BRIEF) return null;
		const commit = within(commits, message);
		const check = within(passed, message);
		const done = [commit && `commit ${commit.hash}`, check && `${check.kind} worked`].filter(Boolean).join(", ");
		const short = `- ${oneQuote(brief(line, BRIEF))}${done && ` (then ${done})`}${note}`;
		return short.length < line.length ? short : null;
	};
}
