import type { Message, SessionState } from "../state/session-state.ts";
import { withdrawalsOf } from "../state/withdrawals.ts";
import { tellingWords, wordsOf } from "../text/telling-words.ts";
import { normalised, oneLine } from "../text/text.ts";
import type { Item, Kind, Section } from "./item.ts";
import { requestOf } from "./said-items.ts";

/** What the user said in so many words: a message, or the words given with a decision. */
export interface Said {
	kind: "message" | "decision";
	text: string;
	order: number;
	/** Sentences of it that were taken back. */
	taken: string[];
}

/** Kinds of sections that hold words of the user's. */
export const STATEMENTS = new Set<Kind>(["request", "directive", "decision", "message"]);

/** All that the user said, each thing once, in order: no commands, and nothing that says nothing by itself ("go on", one word). */
export function saidIn(state: SessionState): Said[] {
	const { messages, decisions } = state;
	const withdrawals = withdrawalsOf(state);
	const said = new Map<string, Said>();
	for (const message of messages) {
		const taken = (withdrawals.get(message) ?? []).map(({ directive }) => directive);
		const text = isSaid(message, taken.length) ? spokenOf(message) : "";
		if (text) said.set(normalised(text), { kind: "message", text, order: message.order, taken });
	}
	for (const { words, order } of decisions)
		if (saysSomething(words) && !said.has(normalised(words)))
			said.set(normalised(words), { kind: "decision", text: words, order, taken: [] });
	return [...said.values()].sort((a, b) => a.order - b.order);
}

/** A message without the slash command it was typed behind; ccg's own commands are asked of ccg. */
const spokenOf = ({ text }: Message): string => text.replace(/^\/[\w:.-]+(?=\s|$)\s*/, "");

const isSaid = (message: Message, taken: number): boolean => {
	const { source, text, directives } = message;
	if ((source === "command" && text.startsWith("! ")) || /^\/ccg\b/.test(text)) return false;
	const spoken = spokenOf(message);
	return directives.length > taken ? tellingWords(spoken).length > 0 : saysSomething(spoken);
};

/** More than an answer of a word or two, or a nod. */
function saysSomething(text: string): boolean {
	const words = wordsOf(text);
	const telling = tellingWords(text);
	if (telling.length < 2 || (words.length < 3 && telling.length < 4)) return false;
	return words.length > 7 || telling.some((word) => !NODS.has(word));
}
/** Stems of what is said to let somebody go on. */
const NODS = new Set(
	[
		"good great fine thanks thank nice perfect continue proceed ahead looks sounds sure okay cool awesome excellent correct",
	]
		.concat(
			"right exactly done yes yep works wait stop start going keep step steps now try ready agreed approved lgtm job work",
		)
		.flatMap(tellingWords),
);

/** Orders of the messages and decisions that were injected, by the ids of their items. */
export function ordersGiven(
	sections: readonly Section[],
	state: SessionState,
	isGiven: (kind: Kind, item: Item) => boolean,
): Set<number> {
	const request = requestOf(state)?.order ?? -1;
	return new Set(
		sections
			.filter(({ kind }) => STATEMENTS.has(kind))
			.flatMap(({ kind, items }) =>
				items.flatMap((item) => (isGiven(kind, item) ? [kind === "request" ? request : item.order] : [])),
			),
	);
}

/** What was said, in one line. */
export const saidLine = ({ text }: Said): string => `- "${oneLine(text)}"`;
