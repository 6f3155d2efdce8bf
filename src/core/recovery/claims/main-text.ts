/** A line of a summary that states something, and where it stands. */
export interface MainLine {
	text: string;
	/** The headings above it, lower case. */
	headings: string;
	/** Under a heading that tells of the present: current work, status. */
	isNow: boolean;
}

/** What is looked at of a summary. */
const MAX_SUMMARY = 60_000;
const MAX_LINE = 2_000;
/** Sections of what is to be done, and of what was asked. */
const NOT_DONE =
	/pending|next|to[- ]?do|\bnot\b|n['’]t\b|\bnever\b|\bwill\b|\bshould\b|\bmust\b|\bneeds?\b|\bto be\b|\bwants?|\basked\b|\bif\b|\bwhen\b|\bstill\b|\buntil\b|\bwould\b|remaining|open (?:tasks?|items?|questions?|points?)|plan|future|upcoming|optional|outstanding|not (?:yet )?done|undone|unfinished|requests?|intent|messages|accept|requirement|checklist|expected|goal|criteria|ideas?|proposal|suggest|recommend|how |steps|instructions|workflow|example|template|concept|behaviou?r|architecture|design|known|limitations|background|context from|history before|offen|ausstehend|nächste|prochain|à faire|pendiente|待办|下一步|计划/;
const NOW = /current|status|state|now|final|latest|result|conclusion|outcome|aktuell|stand|actuel|actual|当前|状态/;

/** The lines of the summary that state what was done: no code, no quotations, no plans; without the analysis before it. */
export function mainLines(summary: string): MainLine[] {
	const lines: MainLine[] = [];
	const headings: { indent: number; text: string }[] = [];
	let isCode = false;
	for (const raw of withoutAnalysis(summary.slice(0, MAX_SUMMARY)).split("\n")) {
		const indent = raw.length - raw.trimStart().length;
		const text = raw.trim().slice(0, MAX_LINE);
		if (/^(?:```|~~~)/.test(text)) isCode = !isCode;
		if (isCode || !text || /^(?:```|~~~|>|\||<)/.test(text)) continue;
		const title = headingOf(text);
		if (title) {
			while (headings.length && headings.at(-1)!.indent >= indent) headings.pop();
			headings.push({ indent, text: title });
			if (headings.length > 8) headings.shift();
			continue;
		}
		while (headings.length > 1 && headings.at(-1)!.indent > indent) headings.pop();
		const above = headings.map((one) => one.text).join(" / ");
		if (NOT_DONE.test(above)) continue;
		lines.push({
			text,
			headings: above,
			isNow: NOW.test(headings.at(-1)?.text ?? "") || NOW.test(headings[0]?.text ?? ""),
		});
	}
	return lines;
}

/** What stands before the summary itself: its writer's notes, which the summary may correct. */
function withoutAnalysis(text: string): string {
	const end = text.indexOf("</analysis>");
	const rest = end < 0 ? text : text.slice(end + "</analysis>".length);
	const start = /(?:^|\n)(?:<summary>|#{0,3} ?Summary:?)\s{0,3}\n/.exec(rest);
	return start && start.index < rest.length * 0.8 ? rest.slice(start.index + start[0].length) : rest;
}

/** `## Title`, `**Title**:`, `3. Title:` and `Title:` as lines of their own; `""` for others. */
function headingOf(text: string): string {
	if (text.length > 200) return "";
	if (/^#{1,6} /.test(text)) return text.replace(/^#+ /, "").toLowerCase();
	const bare = text.replace(/^(?:[-*•] )?(?:\d{1,2}[.)] )?/, "").replace(/[*_]/g, "");
	// what leads a list in says what its lines are
	if (/[^:]:$/.test(bare)) return bare.toLowerCase();
	const isTitle = text.length <= 120 && /^(?:\d{1,2}[.)] )?\*\*[^*]{2,80}\*\*$/.test(text) && !/[.!?;]/.test(bare);
	return isTitle ? bare.toLowerCase() : "";
}

/** The parts of a line that state one thing each, with the label before them. */
export function statementsOf(line: string): { text: string; sentence: string; next: string }[] {
	const sentences = line.split(SENTENCE).filter((one) => one.trim());
	return sentences.flatMap((sentence, i) =>
		withoutQuotations(sentence)
			.split(/;\s|\s[–—]\s|,? but |, (?:although|though|however|while|which|where) /)
			.map((text) => ({ text: text.trim(), sentence: sentence.trim(), next: sentences[i + 1] ?? "" })),
	);
}
const SENTENCE = /(?<=[.!?]["”'’)]?)\s+(?=[\p{Lu}✅`*_"“(\d])|(?<=[。！？；])/u;

/** Without what is quoted: others' words, labels, outputs. */
const withoutQuotations = (text: string): string =>
	text.replace(/"[^"\n]{1,400}"|“[^”\n]{1,400}”|«[^»\n]{1,400}»/g, '""');
