import type * as z from "zod/mini";
import type { Decision, Message } from "../state/session-state.ts";
import { cut, normalised, oneLine } from "../text/text.ts";
import type * as stored from "./stored-shapes.ts";

/** Something a summary says of the user that no message of the user bears out. */
export type Claim = z.infer<typeof stored.claim>;

const MAX_CLAIMS = 5;
/** Quotations of one summary that are looked for in what the user said. */
const MAX_QUOTES = 300;
const ABOUT_USER = /\b(?:the )?user(?:'s|’s)?\b/i;
const QUOTES = /["“]([^"“”\n]{8,400})["”]/g;
/** Words that make what follows in quotes the user's own: a file name or a label in quotes is nobody's speech. */
const SAYING =
	/\buser(?:'s|’s)?\s*:|\buser(?:'s|’s)?\b.*\b(?:said|says|saying|asked|asks|wrote|writes|told|tells|stated|states|requested|requests|replied|answered|insisted|instructed|demanded|mentioned|noted|clarified|confirmed|rejected|responded|added|explained|words?|message|messages|request|feedback|instructions?|quote)\b/i;
const APPROVAL =
	/\buser\b[^.\n]{0,40}\b(?:approved|confirmed|agreed to|signed off on|gave (?:the )?(?:approval|permission|go-ahead))\b/i;
const YES =
	/\b(?:yes|yep|yeah|yup|y|sure|ok(?:ay)?|k|approved?|lgtm|go|go ahead|do (?:it|that|so)|sounds good|looks good|confirmed?|agreed?|perfect|great|good|nice|fine|please|proceed|continue|ship it|correct|right|exactly|start|let's)\b|👍|✅|^\s*[+1]{1,2}\s*$/i;
/** How far before a quotation its speaker is looked for. */
const LEAD = 400;
/** Messages short enough to be an answer. */
const ANSWER = 120;

/**
 * Statements that a summary attributes to the user without a source: quotations found in no message or decision, and
 * approvals in a session in which the user never said anything of the kind. Doubt is cheap and a wrong accusation is not:
 * quotations are judged only while every message is there in full (`whole`), approvals only where the answers can be read.
 */
export function unsupportedClaims(
	summary: string,
	messages: readonly Message[],
	decisions: readonly Decision[],
	whole = true,
): Claim[] {
	const said = plain([...messages.map(({ text }) => text), ...decisions.map(({ words }) => words)].join("\n"));
	const judgeQuotes = whole && messages.every((message) => !message.cut);
	const mayHaveApproved =
		messages.some(({ text }) => YES.test(text) || isForeignAnswer(text)) ||
		decisions.some(({ kind }) => kind === "plan approved" || kind === "answer");
	const claims: Claim[] = [];
	let quotes = 0;
	for (const sentence of sentencesOf(summary)) {
		if (!ABOUT_USER.test(sentence) || claims.length >= MAX_CLAIMS) continue;
		const line = cut(oneLine(sentence), 300);
		if (judgeQuotes)
			for (const { 1: quote, index } of sentence.matchAll(QUOTES)) {
				if (claims.length >= MAX_CLAIMS || ++quotes > MAX_QUOTES) break;
				if (SAYING.test(sentence.slice(Math.max(0, index - LEAD), index).replace(QUOTES, "")) && !holds(said, quote!))
					claims.push({ sentence: line, quote: quote! });
			}
		if (!mayHaveApproved && APPROVAL.test(sentence)) claims.push({ sentence: line, quote: "" });
	}
	return claims.slice(0, MAX_CLAIMS);
}

/** A short message in another language or in signs may be a yes. */
const isForeignAnswer = (text: string): boolean => text.length <= ANSWER && !ENGLISH.test(text);
const ENGLISH =
	/\b(?:the|a|an|to|is|it|in|of|and|add|use|fix|make|write|run|no|not|never|don't|what|why|how|this|that|my|for|with)\b/i;

/** Normalised, with one kind of apostrophe and without Markdown's emphasis: what a summary changes when it quotes. */
const plain = (text: string): string => normalised(text.replace(/[’‘]/g, "'").replace(/[*_`]/g, ""));

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
	const parts = plain(quote)
		.split(/\s*(?:\.\.\.|…|\[[^\]]*\])\s*/)
		.map((part) => part.replace(/[.,;:!?]+$/, ""))
		.filter((part) => part.length > 3);
	return parts.every((part) => said.includes(part));
}
