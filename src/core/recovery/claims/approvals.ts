import type { Decision, Message } from "../../state/session-state.ts";

const APPROVAL =
	/(?<!\b(?:after|when|once|if|until|unless|before|that|whether) (?:the )?)\buser\b[^.\n]{0,40}\b(?:approved|confirmed|agreed to|signed off on|gave (?:the )?(?:approval|permission|go-ahead))\b([^.\n;]{0,80})/i;
const YES =
	/\b(?:yes|yep|yeah|yup|y|sure|ok(?:ay)?|k|approved?|lgtm|go|go ahead|do (?:it|that|so)|sounds good|looks good|confirmed?|agreed?|perfect|great|good|nice|fine|please|proceed|continue|ship it|correct|right|exactly|start|let's)\b|👍|✅|^\s*[+1]{1,2}\s*$/i;
/** Messages short enough to be an answer. */
const ANSWER = 120;
const MAX_SUMMARY = 60_000;

/** Sentences that tell of an approval, in a session in which the user never said anything of the kind. */
export function inventedApprovals(
	summary: string,
	messages: readonly Message[],
	decisions: readonly Decision[],
): string[] {
	const mayHaveApproved =
		messages.some(({ text }) => YES.test(text) || isForeignAnswer(text)) ||
		decisions.some(({ kind }) => kind === "plan approved" || kind === "answer");
	if (mayHaveApproved) return [];
	const spoken = new Set(messages.flatMap(({ text }) => stemsOf(text)));
	return summary
		.slice(0, MAX_SUMMARY)
		.split("\n")
		.flatMap((line) => (/\buser\b/i.test(line) ? line.slice(0, 4_000).split(/(?<=[.!?])\s/) : []))
		.filter((sentence) => {
			const words =
				APPROVAL.exec(sentence)?.[1]
					?.toLowerCase()
					.match(/[a-z]{4,}/g) ?? [];
			// of what the user spoke of somebody may take anything for a yes
			return words.length > 0 && !words.some((word) => spoken.has(word.slice(0, 5)));
		});
}

const stemsOf = (text: string): string[] =>
	(text.toLowerCase().match(/[a-z]{4,}/g) ?? []).map((word) => word.slice(0, 5));

/** A short message in another language or in signs may be a yes. */
const isForeignAnswer = (text: string): boolean => text.length <= ANSWER && !ENGLISH.test(text);
const ENGLISH =
	/\b(?:the|a|an|to|is|it|in|of|and|add|use|fix|make|write|run|no|not|never|don't|what|why|how|this|that|my|for|with)\b/i;
