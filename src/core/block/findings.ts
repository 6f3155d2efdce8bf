import { isShort, proseSentences } from "../state/agent-words.ts";
import { anyOf } from "../text/acts.ts";
import { foreign } from "../text/quoted.ts";
import { oneLine } from "../text/text.ts";
import type { Item } from "./item.ts";
import type { Situation } from "./situation.ts";

/** Longer sentences are lists and code. */
const MAX = 500;
/** From one sentence of a text to the next, in its order. */
const STEP = 0.0001;

/** Words that tell a reason or a finding. */
const REASON = anyOf(
	String.raw`
		\b(because|since|so that|root cause|cause[ds]?|turns out|instead|rather than|decided?|reject\w*|pre-existing|means|due to|therefore|otherwise)\b
		\b(the (?:issue|problem|reason|bug|fix|trick) (?:is|was)|not (?:needed|worth|necessary)|would (?:be|break|fail|lose|exceed)|fail(?:s|ed|ing)?)\b
		\b(missing|wrong\w*|needs?|needed|can(?:'|’)t|cannot|already|only|however|but|found|confirmed|remain\w*|left|skip\w*|never|must)\b
	`,
	"i",
);
/** What is said in passing; and what says that something follows, or asks. */
const PASSING = /^(?:now|let me|let(?:'|’)s|i(?:'|’)ll|i will|good|great|perfect|next|first,? let)\b/i;
const LEADING = /[:?]["'”’)*_]*$/;

/** What the agent said: its findings, reasons and reports, sentence by sentence in order. */
export function findingItems({ state: { prose, order: end } }: Situation): Item[] {
	const seen = new Set<string>();
	const items: Item[] = [];
	let [place, n] = [-1, 0];
	for (const { text, order, closing } of prose) {
		const recent = 1 + 0.8 * (end ? order / end : 1) ** 2;
		// texts between the same two calls follow one another
		if (order !== place) [place, n] = [order, 0];
		for (const sentence of sentencesIn(text)) {
			const at = order + n++ * STEP;
			if (seen.has(sentence)) continue;
			seen.add(sentence);
			const worth = worthOf(sentence) * (closing ? 2.5 : 1) * recent;
			items.push({ text: sentence, order: at, words: sentence, worth });
		}
	}
	return items;
}

/** What a sentence is worth beside others of the same length, by what it is. */
function worthOf(sentence: string): number {
	if (LEADING.test(sentence)) return 0.4;
	if (REASON.test(sentence)) return 1.5;
	return PASSING.test(sentence) ? 0.4 : 1;
}

/** Sentences of one line each that say something. */
const sentencesIn = (text: string): string[] =>
	proseSentences(text)
		.map(oneLine)
		.filter((sentence) => !isShort(sentence) && sentence.length <= MAX);

/** Sentences of the same place side by side, a mark where something between them is left out. */
export const joinedFindings = (items: readonly Item[]): string =>
	[...Map.groupBy(items, ({ order }) => Math.floor(order)).values()]
		.map((some) => {
			const words = some.map(({ text, order }, i) => {
				const isNext = i === 0 || order - some[i - 1]!.order <= 1.5 * STEP;
				return isNext ? text : `… ${text}`;
			});
			return `- ${foreign(words.join(" "))}`;
		})
		.join("\n");
