import { proseLines } from "../state/agent-words.ts";
import { isQuestion } from "../state/directives.ts";
import { sentencesOf } from "../state/sentences.ts";
import { isDone } from "../state/tasks.ts";
import { anyOf } from "../text/acts.ts";
import { foreign } from "../text/quoted.ts";
import { tellingWords } from "../text/telling-words.ts";
import { oneLine } from "../text/text.ts";
import { type Item, line } from "./item.ts";
import type { Situation } from "./situation.ts";
import { lastWords } from "./stood.ts";

/** A passage is a paragraph or a list item, in pieces of whole sentences of about this length; with fewer words it tells nothing. */
const LENGTH = 360;
const MAX = 500;
const WORDS = 4;
/** From one passage of a text to the next, in its order. */
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
/** An item of a list without an end tells little without the line that it hangs on. */
const SENTENCE = /[.!?…。！？][)"'”’*_`]*$/;
const LEADING = /:["'”’)*_]*$/;

/** What the open work is about: a sentence that shares its words tells what it rests on. */
function openWork({ request, state, workspace }: Situation): Set<string> {
	const { messages, tasks, failures, files, order } = state;
	const touched = files.filter((one) => order - one.order < NEAR).map(({ path }) => path);
	return new Set(
		[
			...[request?.text ?? "", ...messages.slice(-2).map(({ text }) => text)],
			...tasks.filter(({ status }) => !isDone(status)).map(({ subject }) => subject),
			...failures.filter(({ resolved }) => !resolved).map(({ message }) => message),
			...[...touched, workspace?.task?.goal ?? "", workspace?.task?.nextAction ?? ""],
		].flatMap(tellingWords),
	);
}
/** A file that was touched this many calls ago belongs to the open work. */
const NEAR = 40;

/** What the agent said: its findings and reasons, passage by passage, what the open work rests on first. */
export function findingItems(of: Situation): Item[] {
	const { prose, order: end } = of.state;
	const work = openWork(of);
	const last = lastWords(of.state);
	const seen = new Set<string>();
	return prose
		.flatMap(({ text, order, closing }, nth) => {
			const recent = 1 + 0.8 * (end ? order / end : 1) ** 2;
			return passagesIn(text).flatMap((passage, n): Item[] => {
				const words = tellingWords(passage);
				if (words.length < WORDS || passage.length > MAX || seen.has(passage) || last.includes(passage)) return [];
				seen.add(passage);
				const shared = words.filter((word) => work.has(word)).length;
				const worth = worthOf(passage) * (closing ? 2 : 1) * recent * (1 + Math.min(shared, 4) / 4);
				return [{ ...line(foreign(passage), order + (nth + n * STEP) * STEP, passage), worth }];
			});
		})
		.sort((a, b) => b.worth! - a.worth!);
}

/** What a passage is worth beside others of the same length, by what it is. */
function worthOf(passage: string): number {
	if (LEADING.test(passage) || passage.startsWith("|")) return 0.4;
	const whole = SENTENCE.test(passage) ? 1 : 0.5;
	if (REASON.test(passage)) return 2.2 * whole;
	return PASSING.test(passage) ? 0.4 : whole;
}

function passagesIn(text: string): string[] {
	return proseLines(text).flatMap((line) => {
		const pieces: string[] = [];
		for (const sentence of sentencesOf(line).map(oneLine)) {
			// an open question stands in its own section, an answered one finds nothing; what follows hangs on it
			if (isQuestion(sentence)) break;
			const longer = `${pieces.at(-1)} ${sentence}`;
			if (pieces.length > 0 && longer.length <= LENGTH) pieces[pieces.length - 1] = longer;
			else pieces.push(sentence);
		}
		return pieces;
	});
}
