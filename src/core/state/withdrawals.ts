import { cut, folded } from "../text.ts";
import type { Message, SessionState } from "./session-state.ts";

/** Words that take something back, whatever it was. */
const TAKES_BACK =
	/\b(?:never ?mind|scratch that|forget (?:about )?(?:that|it|what i said|the)|ignore (?:that|what i said|my (?:last|previous|earlier))|disregard|i take (?:that|it) back|changed my mind|on second thought|no longer (?:need|necessary|required|matters?|applies)|(?:doesn'?t|don'?t) (?:apply|matter) any ?more|not any ?more|you don'?t (?:have|need) to .{0,80}any ?more)\b/i;
/** Words that allow what was forbidden. */
const ALLOWS =
	/\b(?:you (?:can|may)(?: now| again)?|feel free to|go ahead (?:and|with)|it'?s (?:ok|okay|fine) (?:now )?to|(?:is|are) (?:ok|okay|fine|allowed) (?:now|again)|now (?:use|do|push|run|commit|add)|from now on,? (?:you )?(?:can|may|do|use))\b/i;
/** Words that end what was demanded. */
const ENDS = /\b(?:stop|no longer|don'?t|do not|never|any ?more|instead of|rather than|without)\b/i;
const FORBIDS = /\b(?:never|don'?t|do not|must ?n[o']?t|should ?n'?t|avoid|without|not allowed|forbidden|no more)\b/i;
const POINTS_BACK = /\b(?:that|it|this|what i said|my (?:last|previous|earlier))\b/i;

const WORD = /[\p{L}\p{N}_][\p{L}\p{N}_./-]*[\p{L}\p{N}_]/gu;
const COMMON = new Set(
	"this that with from have then when what which there their they them will would should could must does were been into also just like some more than only make sure need want your please about always never don't longer anymore instead rather without stop keep leave ensure prefer avoid again ahead free feel said okay fine allowed mind forget ignore use using used going forward until unless remember".split(
		" ",
	),
);

/**
 * Marks the directives that a new message of the user takes back: by name (it shares their distinctive words and says the
 * opposite, or takes back), or by pointing at the message before. A directive is only marked, never dropped: what was
 * taken back wrongly by this reading still stands there, word for word.
 */
export function markWithdrawn(state: SessionState, message: Message): void {
	for (const sentence of message.text.split(/(?<=[.!?\n;])\s+/)) {
		const line = plain(sentence);
		if (line.length > 400) continue;
		const takesBack = TAKES_BACK.test(line);
		const allows = ALLOWS.test(line);
		const ends = ENDS.test(line);
		if (!takesBack && !allows && !ends) continue;
		const words = distinctive(line);
		let named = false;
		for (const earlier of state.messages) {
			if (earlier === message) continue;
			for (const directive of earlier.directives) {
				const forbids = FORBIDS.test(plain(directive));
				if (!takesBack && !(allows && forbids) && !(ends && !forbids && !allows)) continue;
				if (!isAbout(words, distinctive(plain(directive)))) continue;
				withdraw(earlier, directive, sentence);
				named = true;
			}
		}
		if (named || !takesBack || !POINTS_BACK.test(line)) continue;
		const before = state.messages.findLast((one) => one !== message && one.directives.length > 0);
		// only the message right before: what is further away has been worked on since
		if (before && before === state.messages.at(-2))
			for (const directive of before.directives) withdraw(before, directive, sentence);
	}
}

function withdraw(message: Message, directive: string, by: string): void {
	message.withdrawn ??= [];
	if (message.withdrawn.some((one) => one.directive === directive)) return;
	message.withdrawn.push({ directive, by: cut(by.replace(/\s+/g, " ").trim(), 160) });
}

/** Two distinctive words in common, or all of the shorter's when it has one; the larger part of the directive's. */
function isAbout(words: ReadonlySet<string>, directive: ReadonlySet<string>): boolean {
	const common = [...directive].filter((word) => words.has(word)).length;
	if (directive.size === 0 || common === 0) return false;
	return common >= Math.min(2, directive.size) && common >= 0.5 * Math.min(directive.size, words.size);
}

const plain = (text: string): string => folded(text.replace(/[’‘]/g, "'"));
const distinctive = (text: string): Set<string> =>
	new Set((text.match(WORD) ?? []).filter((word) => word.length >= 3 && !COMMON.has(word)).map(stem));
/** Plurals and the commonest endings off: "tests" and "test", "pushing" and "push". */
const stem = (word: string): string => word.replace(/(?<=\p{L}{3})(?:ing|es|s|ed)$/u, "");
