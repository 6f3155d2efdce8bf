/**
 * What Claude Code itself writes as the user's feedback when they choose "Chat about this", or end a plan's interview, in
 * AskUserQuestion (2.1.118 to 2.1.329). The user's own in it are the answers and the notes.
 */
const TEMPLATES: [start: string, told: string][] = [
	["The user wants to clarify these questions.", "the user wants to talk about the questions first"],
	[
		"The user has indicated they have provided enough answers for the plan interview.",
		"the user wants no more questions",
	],
];
const OWN = /^ {2}(?:Answer|User notes): /;

/** What a feedback of that kind says; `null` for any other text. */
export function dialogFeedback(feedback: string): { told: string; words: string } | null {
	const found = TEMPLATES.find(([start]) => feedback.startsWith(start));
	if (!found) return null;
	const own: string[] = [];
	let isOwn = false;
	for (const line of feedback.split("\n")) {
		const starts = OWN.test(line);
		if (!starts && (/^- "/.test(line) || line === "  (No answer provided)")) isOwn = false;
		if (starts) own.push(line.replace(OWN, ""));
		else if (isOwn) own.push(`${own.pop()}\n${line}`);
		isOwn ||= starts;
	}
	return { told: found[1], words: own.join(" | ") };
}
