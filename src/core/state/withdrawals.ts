import { cut, normalised, oneLine } from "../text/text.ts";
import type { Message, SessionState } from "./session-state.ts";

/** Words that take something back, whatever it was. */
const TAKES_BACK =
	/\b(?:never ?mind|scratch that|forget (?:about )?(?:that|it|what i said|the)|ignore (?:that|what i said|my (?:last|previous|earlier))|disregard|i take (?:that|it) back|changed my mind|on second thought|no longer (?:need|necessary|required|matters?|applies)|(?:doesn't|don't) (?:apply|matter) any ?more|not any ?more|you don't (?:have|need) to .{0,80}any ?more)\b/i;
/** Words that allow what was forbidden; not in the same breath as a limit. */
const ALLOWS =
	/\b(?:you (?:can|may)(?: now| again)?|feel free to|go ahead (?:and|with)|it's (?:ok|okay|fine) (?:now )?to|(?:is|are) (?:ok|okay|fine|allowed) (?:now|again)|now (?:use|do|push|run|commit|add)|from now on,? (?:you )?(?:can|may|do|use))\b/i;
/** Words that end what was demanded. */
const ENDS = /\b(?:stop|no longer|don't|do not)\b/i;
const FORBIDS =
	/\b(?:never|don't|do not|must ?n[o']?t|should ?n't|avoid|without|not allowed|forbidden|no more|no|not|nothing|except|unless|off)\b/i;
/** A demand that holds a limit of its own is said again by its opposite. */
const LIMITS = /\b(?:only|just|instead of|rather than|not|never|don't|without|except|unless)\b/i;
const REMINDS = /\bdon't (?:forget|worry|miss)\b/i;
const POINTS_BACK = /\b(?:that|it|this|what i said|my (?:last|previous|earlier))\b/i;

/** Taking back is short; what is longer is a paste or a new task. */
const MAX_MESSAGE = 600;
const MAX_SENTENCE = 240;
const POINTING = 120;
/** Sentences of one message that are held against all directives. */
const MAX_LOOKS = 12;
/** How many of the last directives are looked at. */
const REACH = 1_000;

const WORD = /[\p{L}\p{N}_][\p{L}\p{N}_./-]*[\p{L}\p{N}_]/gu;
const COMMON = new Set(
	"this that with from have then when what which there their they them will would should could must does were been into also just like some more than only make sure need want your please about always never don't longer anymore instead rather without stop keep leave ensure prefer avoid again ahead free feel said okay fine allowed mind forget ignore use using used going forward until unless remember the and for you can may now not are any all our its his her has had was get".split(
		" ",
	),
);

interface WithdrawalReading {
	directive: string;
	forbids: boolean;
	limits: boolean;
	words: ReadonlySet<string>;
}

/** Each message's directives, read once. */
const READINGS = new WeakMap<Message, WithdrawalReading[]>();

/**
 * Marks the directives of which a new message of the user says that they no longer hold: by name (it says the opposite of
 * nearly all their distinctive words), or by pointing at the message right before. A directive is marked with the
 * user's words, never dropped or rewritten: who reads both can judge.
 */
export function markWithdrawn(state: SessionState, message: Message): void {
	if (message.source === "command" || message.text.length > MAX_MESSAGE) return;
	const earlier = withinReach(state.messages, message);
	let looked = 0;
	for (const sentence of message.text.split(/(?<=[.!?\n;])\s+/)) {
		const line = plain(sentence);
		if (line.length > MAX_SENTENCE || line.includes("?") || REMINDS.test(line)) continue;
		const takesBack = TAKES_BACK.test(line);
		const allows = ALLOWS.test(line) && !FORBIDS.test(line);
		const ends = ENDS.test(line);
		if (!takesBack && !allows && !ends) continue;
		if (++looked > MAX_LOOKS) return;
		const words = distinctive(line);
		let isNamed = false;
		for (const one of earlier) {
			for (const { directive, forbids, limits, words: those } of readingsOf(one)) {
				if (!takesBack && !(allows && forbids) && !(ends && !forbids && !limits)) continue;
				if (shareOf(words, those) < (takesBack ? 0.6 : 0.75)) continue;
				withdraw(one, directive, sentence);
				isNamed = true;
			}
		}
		if (isNamed || !takesBack || !POINTS_BACK.test(line) || message.text.length > POINTING) continue;
		const before = earlier.at(-1);
		// only one directive, only right before: what else is meant can't be known
		if (before && before === state.messages.at(-2) && before.directives.length === 1)
			withdraw(before, before.directives[0]!, sentence);
	}
}

/** The messages before that direct, oldest first, as far as is looked: what stands for long is taken back late. */
function withinReach(messages: readonly Message[], message: Message): Message[] {
	const earlier: Message[] = [];
	let left = REACH;
	for (let i = messages.length - 1; i >= 0 && left > 0; i--) {
		const one = messages[i]!;
		if (one === message || one.directives.length === 0) continue;
		earlier.push(one);
		left -= one.directives.length;
	}
	return earlier.reverse();
}

function withdraw(message: Message, directive: string, by: string): void {
	message.withdrawn ??= [];
	if (message.withdrawn.some((one) => one.directive === directive)) return;
	message.withdrawn.push({ directive, by: cut(oneLine(by), 160) });
}

function readingsOf(message: Message): WithdrawalReading[] {
	let readings = READINGS.get(message);
	if (!readings) {
		readings = message.directives.map((directive) => {
			const line = plain(directive);
			return { directive, forbids: FORBIDS.test(line), limits: LIMITS.test(line), words: distinctive(line) };
		});
		READINGS.set(message, readings);
	}
	return readings;
}

/** How much of a directive's distinctive words a sentence holds, 0 to 1. */
function shareOf(words: ReadonlySet<string>, directive: ReadonlySet<string>): number {
	let common = 0;
	for (const word of directive) if (words.has(word)) common++;
	return directive.size ? common / directive.size : 0;
}

const plain = (text: string): string => normalised(text.replace(/[’‘]/g, "'"));
const distinctive = (text: string): Set<string> =>
	new Set((text.match(WORD) ?? []).filter((word) => word.length >= 3 && !COMMON.has(word)).map(stem));
/** Plurals and the commonest endings off: "tests" and "test", "pushing" and "push", "entries" and "entry". */
const stem = (word: string): string => word.replace(/(?<=\p{L}{3})(?:ing|es|s|ed)$/u, "").replace(/y$/, "i");
