import { anyOf } from "../text/acts.ts";

/** A part of a summary that states one thing. */
export type Statement = ReturnType<typeof statementsOf>[number];

/** What is looked at of a summary. */
const MAX_SUMMARY = 60_000;
const MAX_LINE = 2_000;

/** Headings of what is to be done, was asked or is an example; the beginnings of their words. */
const NOT_DONE = anyOf(
	`
		pending|next|to-?do|not|never|will|should|must|need|want|ask|if|when|still|until|would|remain|open|plan|future|optional|request
		intent|message|accept|require|checklist|goal|criteria|idea|how|step|example|known|background|offen|nächste
	`,
	"iu",
	"(?:^|[^\\p{L}])",
);
/** With one of these a sentence is a plan, a condition, a denial, a question, older than the session or about somebody else. */
const UNSURE = new Set(
	(
		"will would should shall can could may might must need needs needed to-be going plan plans planned planning want wants wanted ask asks asked asking " +
		"request requests requested if when whenever until unless whether pending todo next not never no nothing none neither without yet instead ready about " +
		"try tries tried trying attempt attempted let let's make makes making goal aim target says said depends remain remains remaining still decide decided consider " +
		"considered suggest suggested propose proposed recommend recommended option expect expected supposed intend intended ensure ensures ensuring sure how why what " +
		"example mock mocks mocked simulated already previously earlier before existing prior originally someone claim claims claimed assume assumes assumed case every " +
		"each always cannot fail fails failed failing failure partially partly almost mostly except otherwise offer offered allow allowed waiting once verify description " +
		"user users you your colleague colleagues team teammate reviewer reviewers maintainer maintainers author he she they ci pipeline pipelines workflow workflows " +
		"actions bot bots subagent subagents agent agents cron upstream previous another human customer customers hook hooks job jobs service's function method code"
	).split(" "),
);
const OPEN_SIGNS = ["?", "=", "→", "❌", "->", "e.g."];
/** A part of every statement looked for: most sentences have none. */
const TELLS = ["push", "commit", "deploy", "test", "creat", "wrote", "edit", "updat"];
/** What somebody did, at the beginning of a sentence. */
const OWN =
	/^(?:(?:successfully|then|also|now|just|finally) )*(?:i|we|all|everything|done|both|wrote|built|ran|made|\w+ed)(?![\w-])/;

/** The statements of a summary's main text, in their order: no code, no quotations, no plans; without the analysis before it. */
export function statementsIn(summary: string): Statement[] {
	const statements: Statement[] = [];
	let headings: { indent: number; text: string }[] = [];
	let isCode = false;
	let isOthers = false;
	const text = summary.slice(0, MAX_SUMMARY);
	// the writer's notes before it may be corrected by it
	for (const raw of text.slice(Math.max(0, text.indexOf("</analysis>"))).split("\n")) {
		const indent = raw.length - raw.trimStart().length;
		const line = raw.trim().slice(0, MAX_LINE);
		const isFence = FENCES.some((sign) => line.startsWith(sign));
		if (isFence) isCode = !isCode;
		if (isCode || isFence || !line || NOT_PROSE.some((sign) => line.startsWith(sign))) continue;
		const heading = headingOf(line);
		headings = headings.filter((one) => one.indent < indent + (heading ? 0 : 1)).slice(-8);
		if (heading) {
			headings.push({ indent, text: heading });
			isOthers = false;
		}
		for (const sentence of line.split(SENTENCE_END)) {
			isOthers ||= OTHERS.test(sentence) && !OWN_REQUEST.test(sentence);
			if (heading || (isOthers && !FIRST_PERSON.test(sentence))) continue;
			if (!headings.some((one) => NOT_DONE.test(one.text))) statements.push(...statementsOf(sentence));
		}
	}
	return statements;
}

const SENTENCE_END = /(?<=[.!?]["”'’)]?)\s+(?=[\p{Lu}✅`*_"“(\d])|(?<=[。！？；])/u;
/** From where somebody else or a pull request is named to the next heading it may be theirs, but for what the writer says of itself. */
const OTHERS =
	/\b(?:pull|merge) requests?\b|\b[PM]Rs?\b|\b(?:by|from) @?\p{Lu}\p{Ll}|\b\p{Lu}\p{Ll}{1,30}['’]s (?:\w{1,30} ){0,2}(?:branch|commits?|fork|patch|changes?|work|fix)\b/u;
const OWN_REQUEST =
	/\b(?:[Mm]y|[Oo]ur)\b|(?<![A-Z][a-z]{1,30} )\b(?:[Oo]pen|[Cc]reat)ed an? (?:PR|(?:pull|merge) request)\b/;
const FIRST_PERSON = /^\W*(?:i|we)\b/i;

const FENCES = ["```", "~~~"];
/** Quoted lines, tables, tags, items that are not done. */
const NOT_PROSE = [">", "|", "<", "- [ ]", "* [ ]", "• [ ]", "☐"];

/** `## Title`, `**Title**:`, `3. Title:` and `Title:` as lines of their own; `""` for others. */
function headingOf(line: string): string {
	if (line.length > 200) return "";
	if (/^#{1,6} /.test(line)) return line.slice(line.indexOf(" ") + 1);
	const bare = line.replace(/^(?:[-*•] )?(?:\d{1,2}[.)] )?/, "").replace(/[*_]/g, "");
	return bare.endsWith(":") || (/^(?:\d{1,2}[.)] )?\*\*[^*]{2,80}\*\*$/.test(line) && !/[.!?;]/.test(bare)) ? bare : "";
}

function statementsOf(sentence: string) {
	const lower = sentence.toLowerCase();
	if (!TELLS.some((part) => lower.includes(part))) return [];
	const text = sentence
		.replace(/"[^"\n]{1,400}"|“[^”\n]{1,400}”|«[^»\n]{1,400}»/g, '""')
		.replace(/[*_]{2}|~~/g, "")
		.toLowerCase();
	const said = text.replaceAll("’", "'").match(/[\p{L}\p{N}'-]+/gu) ?? [];
	if (OPEN_SIGNS.some((sign) => text.includes(sign)) || said.some((word) => UNSURE.has(word) || word.endsWith("n't")))
		return [];
	const parts = text
		.replace(/^(?:[-*•✅✓✔☑\s]|\[x\]|\d{1,2}[.)]\s)+(?:[\w /&'-]{1,40}:\s)?|^[\w /&'-]{1,40}:\s/, "")
		.split(/[,;:()–—](?=\s|$)|\s(?:and|then|but|&|\+)\s/)
		.map((part) => part.trim())
		.filter(Boolean);
	// it says what the writer did or how the work stands: so does the beginning of its sentence
	const isOwn = OWN.test(parts[0] ?? "");
	// lower case, without emphasis and what is quoted; files between backticks
	return parts.map((part) => ({ text: part, sentence: sentence.trim(), isOwn }));
}
