import type { SessionState } from "../../state/session-state.ts";
import { tellingWords } from "../../text/telling-words.ts";

const APPROVAL =
	/(?<!\b(?:after|when|once|if|until|unless|before|that|whether) (?:the )?)\buser\b(?!.{0,40}(?:n['’]t|\bnot|\bnever|\byet to)\b)[^.\n]{0,40}\b(?:approved|confirmed|agreed to|signed off on|gave (?:the )?(?:approval|permission|go-ahead))\b([^.\n;]{0,80})/i;
/** A message short enough to be an answer: of any other only what it names itself is approved. */
const ANSWER = 120;
const LEAST = 12;
const REFUSES =
	/^\W*(?:no|nope|nah|don['’]?t|do not|stop|wait|never|not|nein|non|nej|nie|нет|не|不|别|いいえ|いや|아니)(?![\p{L}\p{N}])/iu;
const MAX_SUMMARY = 60_000;
/** In other languages the same thing has other words. */
const ENGLISH =
	/\b(?:the|a|an|to|is|it|in|of|and|add|use|fix|make|write|run|no|not|never|don't|what|why|how|this|that|my|for|with|shall|should)\b/i;

/** What the user may have approved with, and what they may have approved. */
export type Asked = Pick<SessionState, "messages" | "decisions" | "prose" | "commands" | "plan" | "deeds">;

/**
 * Sentences that tell of an approval for which nothing stands: no message of the user speaks of it, nor does anything that the
 * agent had said before an answer ("ok", "please", "go on", in any language), nor a decision, nor a command that ran. Where
 * words are in another language, or not all was read, any of them may be meant.
 */
export function inventedApprovals(summary: string, state: Asked): string[] {
	let known: Set<string> | null | undefined;
	return summary
		.slice(0, MAX_SUMMARY)
		.split("\n")
		.flatMap((line) => (/\buser\b/i.test(line) ? line.slice(0, 4_000).split(/(?<=[.!?])\s/) : []))
		.filter((sentence) => {
			const words = beginningsOf(APPROVAL.exec(sentence)?.[1] ?? "");
			if (words.length === 0) return false;
			if (known === undefined) known = approvable(state);
			return known !== null && !words.some((word) => known!.has(word));
		});
}

/** All words of what the user may have approved; `null` where that can't be told. */
function approvable({ messages, decisions, prose, commands, deeds = [], plan }: Asked): Set<string> | null {
	const texts = [
		// what was refused was not approved; the words beside it may name what is
		...decisions.flatMap(({ kind, subject, words }) =>
			kind === "answer" || kind === "plan approved" ? [subject, words] : granting(words),
		),
		...commands.map(({ command }) => command),
		...deeds.flatMap(({ what, kind, outcome }) => (outcome === "refused" ? [] : [`${kind} ${what}`])),
	];
	const plans = decisions.filter(({ kind }) => kind === "plan approved").length;
	if (plans > 1 || (plans && !plan) || decisions.some(({ kind, subject }) => kind === "answer" && !subject))
		return null;
	if (plans) texts.push(plan!.text, "plan approach design");
	for (const [at, message] of messages.entries()) {
		const { text, order } = message;
		texts.push(...granting(text));
		if (text.length > ANSWER || REFUSES.test(text) || /[?？]\s*$/.test(text)) continue;
		if (at === 0) continue;
		// the agent's last message, when it is none of "Done."
		const asked = prose.findLast((one) => one.order < order && one.order >= messages[at - 1]!.order);
		if (asked && asked.text.length < LEAST && !/[?？]/.test(asked.text)) continue;
		if (!asked || asked.text.length < LEAST || !ENGLISH.test(asked.text)) return null;
		texts.push(asked.text);
	}
	return new Set(texts.flatMap(beginningsOf));
}

/** The sentences of a text that do not refuse; one of several clauses may refuse the one and grant the other. */
const granting = (text: string): string[] =>
	text
		.split(/(?<=[.!?;])\s+|\n+/)
		.filter(
			(one) =>
				!REFUSES.test(one) ||
				/[,:–—]| - |\b(?:but|until|unless|before|without|except|only|hesitate|problem|need|wait|forget)\b/i.test(one),
		);

/** Words by their beginnings, so that "pushing" and "pushed" are one. */
const beginningsOf = (text: string): string[] =>
	tellingWords(text)
		.filter((word) => word.length >= 3)
		.map((word) => word.slice(0, 5));
