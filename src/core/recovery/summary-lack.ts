import type { SessionState } from "../state/session-state.ts";
import { tellingWords, weightOf } from "../text/telling-words.ts";
import { normalised } from "../text/text.ts";

/** Below the first a summary lacks so much that all room pays; from the second on a little does. */
const POOR = 0.5;
const GOOD = 0.6;
const LEAST = 0.3;

/**
 * The share of the room that pays beside a summary: 1 beside one that keeps little as it was said, `LEAST` beside one that
 * keeps the user's messages, names and commands. Measured by three shares: messages word for word, names that the agent spoke
 * of, commands.
 */
export function lackOf(state: SessionState, summary: string, known: ReadonlySet<string>): number {
	const text = normalised(summary);
	const messages = state.messages.map((message) => normalised(message.text));
	const names = new Set(state.prose.flatMap((one) => tellingWords(one.text)).filter((word) => weightOf(word) > 1));
	const commands = state.commands.map(({ command }) => tellingWords(command)).filter(({ length }) => length > 1);
	const kept =
		(share(messages, (message) => text.includes(message)) +
			share([...names], (name) => known.has(name)) +
			share(commands, (words) => share(words, (word) => known.has(word)) >= 0.75)) /
		3;
	return Math.max(LEAST, Math.min(1, 1 - ((1 - LEAST) * (kept - POOR)) / (GOOD - POOR)));
}

const share = <T>(list: readonly T[], holds: (one: T) => boolean): number =>
	list.length ? list.filter(holds).length / list.length : 1;
