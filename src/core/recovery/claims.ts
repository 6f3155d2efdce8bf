import type { Decision, Message } from "../state/session-state.ts";
import { cut, folded } from "../text.ts";

/** Something a summary says of the user that no message of the user bears out. */
export interface Claim {
	/** The summary's sentence. */
	sentence: string;
	/** The words it puts into the user's mouth; `""` for an approval without words. */
	quote: string;
}

const MAX_CLAIMS = 5;
const ABOUT_USER = /\b(?:the )?user(?:'s)?\b/i;
const QUOTES = /["“]([^"“”\n]{8,400})["”]/g;
const APPROVAL =
	/\buser\b[^.\n]{0,40}\b(?:approved|confirmed|agreed to|signed off on|gave (?:the )?(?:approval|permission|go-ahead))\b/i;
const YES =
	/\b(?:yes|yep|yeah|yup|sure|ok(?:ay)?|approved?|lgtm|go ahead|do it|sounds good|looks good|confirmed?|agreed?|perfect|great|fine|please do|proceed|ship it|correct|right|👍)\b/i;

/**
 * Statements that a summary attributes to the user without a source: quotations found in no message or decision, and
 * approvals in a session in which the user never said anything of the kind.
 */
export function unsupportedClaims(
	summary: string,
	messages: readonly Message[],
	decisions: readonly Decision[],
): Claim[] {
	const said = folded([...messages.map(({ text }) => text), ...decisions.map(({ words }) => words)].join("\n"));
	const approved =
		messages.some(({ text }) => YES.test(text)) ||
		decisions.some(({ kind }) => kind === "plan approved" || kind === "answer");
	const claims: Claim[] = [];
	for (const sentence of sentencesOf(summary)) {
		if (!ABOUT_USER.test(sentence) || claims.length >= MAX_CLAIMS) continue;
		const line = cut(sentence.replace(/\s+/g, " ").trim(), 300);
		for (const [, quote] of sentence.matchAll(QUOTES))
			if (!holds(said, quote!)) claims.push({ sentence: line, quote: quote! });
		if (!approved && APPROVAL.test(sentence)) claims.push({ sentence: line, quote: "" });
	}
	return claims.slice(0, MAX_CLAIMS);
}

/** The sentences of a text; one with a quotation goes on until that is closed, or the line ends. */
function sentencesOf(text: string): string[] {
	return text.split("\n").flatMap((line) => {
		const sentences: string[] = [];
		let open = false;
		for (const piece of line.split(/(?<=[.!?]["”]?\s)/)) {
			if (open) sentences.push(sentences.pop() + piece);
			else sentences.push(piece);
			if (((piece.match(/["“”]/g) ?? []).length & 1) === 1) open = !open;
		}
		return sentences;
	});
}

/** A quotation may leave out its middle or its closing stop. */
function holds(said: string, quote: string): boolean {
	const parts = folded(quote)
		.split(/\s*(?:\.\.\.|…|\[[^\]]*\])\s*/)
		.map((part) => part.replace(/[.,;:!?]+$/, ""))
		.filter((part) => part.length > 3);
	return parts.every((part) => said.includes(part));
}
