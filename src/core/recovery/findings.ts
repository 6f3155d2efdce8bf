import { isShort } from "../state/prose.ts";
import { sentencesOf } from "../state/sentences.ts";
import type { SessionState } from "../state/session-state.ts";
import { oneLine } from "../text/text.ts";
import type { Item } from "./item.ts";
import { foreign } from "./item-text.ts";

/** Longer sentences are lists and code. */
const MAX = 500;
/** From one sentence of a text to the next, in its order. */
const STEP = 0.0001;

const REASON =
	/\b(?:because|since|so that|root cause|cause[ds]?|turns out|the (?:issue|problem|reason|bug|fix|trick) (?:is|was)|instead|rather than|decided?|reject\w*|not (?:needed|worth|necessary)|pre-existing|means|due to|therefore|otherwise|would (?:be|break|fail|lose|exceed)|fail(?:s|ed|ing)?|missing|wrong\w*|needs?|needed|can(?:'|’)t|cannot|already|only|however|but|found|confirmed|remain\w*|left|skip\w*|never|must)\b/i;
const PASSING = /^(?:now|let me|let(?:'|’)s|i(?:'|’)ll|i will|good|great|perfect|next|first,? let)\b/i;

/** Says that something follows, or asks. */
const LEADING = /[:?]["'”’)*_]*$/;

/** What a sentence is worth beside others of the same length, by what it is. */
const WORTH = { reason: 1.5, passing: 0.4, closing: 2.5, recency: 0.8 };

/** What the agent said: its findings, reasons and reports, sentence by sentence in order. */
export function findingItems({ prose, order: end }: SessionState): Item[] {
	const seen = new Set<string>();
	const items: Item[] = [];
	let [place, n] = [-1, 0];
	for (const { text, order, closing } of prose) {
		const recent = 1 + WORTH.recency * (end ? order / end : 1) ** 2;
		// texts between the same two calls follow one another
		if (order !== place) [place, n] = [order, 0];
		for (const sentence of sentencesIn(text)) {
			const nth = n++;
			if (seen.has(sentence)) continue;
			seen.add(sentence);
			const gives = LEADING.test(sentence)
				? WORTH.passing
				: REASON.test(sentence)
					? WORTH.reason
					: PASSING.test(sentence)
						? WORTH.passing
						: 1;
			items.push({
				text: sentence,
				order: order + nth * STEP,
				words: sentence,
				worth: gives * (closing ? WORTH.closing : 1) * recent,
			});
		}
	}
	return items;
}

/** Sentences of one line each, without list marks and emphasis; code and tables are passed over. */
function sentencesIn(text: string): string[] {
	return text
		.replace(/```[\s\S]*?(?:```|$)/g, "\n")
		.split("\n")
		.filter((line) => !/^[\s|:=-]*$/.test(line))
		.flatMap((line) => sentencesOf(line.replace(/^[\s>#*+-]*(?:\d+[.)]\s+)?/, "").replaceAll("**", "")))
		.map(oneLine)
		.filter((sentence) => !isShort(sentence) && sentence.length <= MAX);
}

/** Sentences of the same place side by side, a mark where something between them is left out. */
export function joinedFindings(items: readonly Item[]): string {
	const lines: string[] = [];
	let words: string[] = [];
	let last = -1;
	const close = (): void => {
		if (words.length) lines.push(`- ${foreign(words.join(" "))}`);
		words = [];
	};
	for (const { text, order } of items) {
		if (Math.floor(order) !== Math.floor(last)) close();
		else if (order - last > 1.5 * STEP) words.push("…");
		words.push(text);
		last = order;
	}
	close();
	return lines.join("\n");
}
