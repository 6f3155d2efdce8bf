import type { DeedClaim } from "./deed-claim.ts";
import { type MainLine, mainLines, statementsOf } from "./main-text.ts";
import { OTHERS, PERSONS } from "./other-people.ts";
import { testClaims } from "./test-claims.ts";

interface Act {
	kind: DeedClaim["kind"];
	verb: RegExp;
	/** What a passive has to be about. */
	subject: RegExp;
	/** What may not follow. */
	not?: RegExp;
}

const NO_REMOTE =
	/^ (?:down|back|the (?:value|event|item|limit|button)|into (?:a|the) (?:list|array|queue|stack)|onto|through|for\b|towards?|it (?:into|onto)|values?|items?|events?|logic)/;
const ACTS: Act[] = [
	{
		kind: "push",
		verb: /^(?:force[- ]?)?pushed$/,
		subject:
			/\b(?:changes|work|fix(?:es)?|everything|all|branch(?:es)?|commits?|tags?|it|feature|update|updates|result|release|this|main|both|code|implementation|refactor(?:ing)?)$/i,
		not: NO_REMOTE,
	},
	{
		kind: "commit",
		verb: /^committed$/,
		subject:
			/\b(?:changes|work|fix(?:es)?|everything|all|edits|feature|implementation|refactor(?:ing)?|it|update|updates|docs|tests|files?|this)$/i,
		not: /^ (?:to (?:a|an|the|using|do)|on (?:using|doing))\b(?! (?:branch|repo|main))/,
	},
	{
		kind: "deploy",
		verb: /^deployed$/,
		subject:
			/\b(?:app|application|service|site|website|changes|it|version|v?\d[\w.]{1,12}|worker|stack|api|backend|frontend|fix|build|infrastructure|everything)$/i,
	},
];
const VERB = /\b(force[- ]?pushed|pushed|committed|deployed|created|wrote|edited|updated|ran)\b/gi;
const RAN_TESTS = /^ (?:all |the |full |whole |entire |unit |integration )*tests?(?: suite)?\b(?! for)/i;
/** "The force push was made." */
const NOUN =
	/\b(push|commit|deploy(?:ment)?) (?:was |has been |were |is )?(?:successfully |now )?(?:made|done|completed?|successful|succeeded|went through|finished|performed|executed)\b/i;
const FILE =
	/^\s(?:(?:a|an|the|new|file|test|script|document|doc|docs|migration|module|component|helper|spec|config) ){0,4}`?([\w@./-]{1,120}\.[a-z]\w{0,5})`?(?=[\s.,;:()–—]|$)/i;
const NAMED = /`?([\w@./-]{1,120}\.[a-z]\w{0,5})`? $/i;
/** "`src/cart.ts` (created)" */
const FILE_LABEL =
	/^[-*•] `([\w@./-]{1,120}\.[a-z]\w{0,5})`(?: ?\(| ?[-–—:] ?)(?:newly )?created\b(?! (?:by|in|at|on|when|during)\b)/i;

/** With one of these words a statement is a plan, a condition, a denial, a question or older than the session. */
const UNSURE =
	/\b(?:will|would|should|shall|can|could|may|might|must|need(?:s|ed)?|to be|going to|plan(?:s|ned|ning)?|want(?:s|ed)?|ask(?:s|ed|ing)?|request(?:s|ed)?|if|when|whenever|until|unless|whether|pending|todo|next|not|never|no longer|nothing|none|neither|without (?:being|pushing|committing)|yet|instead|ready|about to|tr(?:y|ied|ying|ies)|attempt(?:s|ed|ing)?|(?<!work )in progress|let me|let us|verify|make|makes|making|goal|aim|target|says|said|description|criteria|depends|remain(?:s|ing)?|still (?:has|have|needs?)|let's|decid(?:e|ed|ing)|consider(?:ed|ing)?|suggest(?:s|ed)?|propos(?:e|ed|al)|recommend(?:s|ed)?|option|expect(?:s|ed)?|supposed|intend(?:s|ed)?|ensure[sd]?|ensuring|make sure|so that|how|why|what|example|e\.g\.|mock(?:s|ed)?|simulat(?:e|es|ed)|already|previously|earlier|before|existing|prior|originally|someone|claim(?:s|ed)?|assum(?:e|es|ed|ing)|in case|every time|each time|always|cannot|fail(?:s|ed|ing|ure)?|partially|partly|almost|mostly|except|otherwise|offer(?:s|ed)?|allow(?:s|ed)?|waiting|once)\b|n['’]t\b|\?|❌|☐|\[ \]/i;
const ADVERBS =
	"(?:(?:then|also|just|successfully|now|finally|first|subsequently|all|both|again|properly|locally|immediately|have|has|been) )";
const ACTIVE = new RegExp(`(?:^|[^\\w'])(?:I|We|we)(?:['’]ve)? ${ADVERBS}{0,3}$`);
const PASSIVE = new RegExp(`\\b(was|were|has been|have been|been|got|is|are|is now|are now) ${ADVERBS}{0,2}$`);
/** Before a statement without a subject: nothing, a list's mark, a label. */
const START =
	/^(?:(?:[-*•+✅✓✔☑]|\[x\]|\d{1,2}[.)])\s?){0,3}(?:[\w /&'()-]{1,40}:\s?)?(?:[✅✓✔☑]\s?)?(?:(?:Then|Also|Finally|Successfully|Now|Just|Force[- ]),? ?){0,2}$/i;
const CONJOINED = /(?:,|\band|\bthen|&|\+)(?: (?:then|also|finally|now))? $/;

/** What may follow when nobody is named who did it: else the word describes the next one ("committed files are kept"). */
const AFTER =
	/^(?:\s*$|\s*[.,;:!)(–—&+/]|\s(?:to|as|with|on|onto|in|into|it|them|the|all|both|everything|my|our|these|this|that|and|locally|successfully|changes|work|a|an|by|from|for|via|under|at|after|again|cleanly|v?\d|version)\b|\s[`"#(✅]|\s[0-9a-f]{7,40}\b|\s[A-Z])/;

const THING = /((?:[\w#@./'`-]{1,40} ){0,5}[\w#@./'`-]{1,60})$/;

/** The statements of a summary's main text that a push, a commit, tests, a deployment or a file's edit was done, in their order. */
export function deedClaims(summary: string): DeedClaim[] {
	return mainLines(summary).flatMap(claimsOfLine);
}

function claimsOfLine(line: MainLine): DeedClaim[] {
	const label = /^(?:[-*•] )?\**([^:*`"]{1,40})\**:/.exec(line.text)?.[1] ?? "";
	if (label && UNSURE.test(label)) return [];
	return statementsOf(line.text).flatMap(({ text, sentence, next }) => {
		if (!TELLS.test(text)) return [];
		const bare = text
			.replace(/[*_]{2}|~~/g, "")
			.replace(/\s+/g, " ")
			.slice(0, 600);
		// what came before it in time is no condition
		const said = bare.replace(
			/^((?:[-*•] |\d{1,2}[.)] )?)(?:After|Once|Following|With|When|Since|Because of)\b[^,;]{1,80}?(?:, | (?=all tests|tests))/i,
			"$1",
		);
		if (UNSURE.test(said)) return [];
		const isNow = line.isNow || /\b(?:currently|current|now|final|status|state|at this point)\b/i.test(said);
		const about = { sentence, isNow };
		return [...testClaims(said, next, about), ...verbs(said, about), ...labels(said, about)];
	});
}

type About = Pick<DeedClaim, "sentence" | "isNow">;

function verbs(text: string, about: About): DeedClaim[] {
	const claims: DeedClaim[] = [];
	for (const found of text.matchAll(VERB)) {
		const [before, after] = [text.slice(0, found.index), text.slice(found.index + found[0].length)];
		const how = formOf(found[1]!, before, after, text);
		const what = how && meantBy(found[1]!.toLowerCase(), how, before, after);
		if (what) claims.push({ ...about, ...what, isPassive: how === "passive", which: "" });
		if (claims.length >= 6) break;
	}
	return claims;
}

function labels(text: string, about: About): DeedClaim[] {
	const claim = { ...about, isPassive: true, which: "" };
	const file = FILE_LABEL.exec(text)?.[1];
	if (file) return [{ ...claim, kind: "edit", file }];
	const noun = NOUN.exec(text);
	if (!noun || OTHERS.test(text.slice(0, noun.index))) return [];
	const kind = noun[1]!.toLowerCase().replace("deployment", "deploy") as DeedClaim["kind"];
	return [{ ...claim, kind, file: "" }];
}

/** A legend: what a mark stands for. */
const MEANS = /[=→]|->/;

/** Part of every word looked for: most statements have none. */
const TELLS = /push|commit|deploy|created|wrote|edited|updated|test|pass|green|clean|succe/i;

type Form = "active" | "passive" | "bare";

/** How a verb says that it was done, `null` where it says nothing of the kind. */
function formOf(verb: string, before: string, after: string, text: string): Form | null {
	if (PERSONS.test(before) || MEANS.test(before)) return null;
	if (ACTIVE.test(before)) return "active";
	if (PASSIVE.test(before))
		return OTHERS.test(withoutLastThing(before)) || /\bby (?!me\b)/.test(after.slice(0, 60)) ? null : "passive";
	if (DESCRIBES.test(after) || (BARE.test(verb) && !AFTER.test(after))) return null;
	if (START.test(before)) return "bare";
	if (!CONJOINED.test(before) || /^ by (?!me\b)/.test(after)) return null;
	// "fixed it, committed and pushed", "the fix was committed and pushed", "tests pass, committed"
	const first = text.replace(/^(?:[-*•✅✓] ?|\d{1,2}[.)] ?){0,2}(?:[\w /&-]{1,40}: ?)?/, "");
	return /^(?:(?:I|We) |(?:All |Done|Tests? )|\w+ed\b|Wrote\b|Built\b|Ran\b|Made\b)/i.test(first) ||
		PASSIVE_ANY.test(before)
		? "bare"
		: null;
}
/** What it was done to is judged by its own list. */
const withoutLastThing = (before: string): string =>
	before
		.replace(PASSIVE, "")
		.trimEnd()
		.replace(/[\w-]{1,60}$/, "");
/** "committed files are kept" */
const DESCRIBES = /^ [\w-]+(?: [\w-]+){0,2} (?:is|are|was|were|have|has|live|stay|must|will|can)\b/;
const BARE = /^(?:force|push|commit|deploy)/i;
const PASSIVE_ANY =
	/(?:(?:changes|work|everything|fix|branch|all|feature) (?:is|are)|was|were|has been|have been) (?:\w+ly |now |all )?(?:\w+ed|done|made|written|built)/;

function meantBy(verb: string, how: Form, before: string, after: string): Pick<DeedClaim, "kind" | "file"> | null {
	const act = ACTS.find((one) => one.verb.test(verb));
	if (act) {
		if (act.not?.test(after) || (how === "passive" && !isSubject(act, before))) return null;
		return { kind: act.kind, file: "" };
	}
	if (verb === "ran") return RAN_TESTS.test(after) ? { kind: "test", file: "" } : null;
	const file = (how === "passive" ? NAMED.exec(before.replace(PASSIVE, "")) : FILE.exec(after))?.[1];
	return file ? { kind: "edit", file } : null;
}

const STATIVE = /\b(?:is|are|is now|are now) (?:\w+ ){0,2}$/;

/** Whether a passive is about what the agent works on. How code behaves is told the same way. */
function isSubject(act: Act, before: string): boolean {
	const rest = before
		.replace(PASSIVE, "")
		.trimEnd()
		.replace(/ (?:is|was|were|are|has been|have been) (?:\w+ ){0,2}\w+ed(?:,| and|,? then){1,2}$/, "");
	const thing = THING.exec(rest)?.[1] ?? "";
	if (/^(?:[-*•✅]\s?)?(?:Everything|Status|Work|Git|Branch|Done)$/i.test(thing) || /^`[^`]+`$/.test(thing))
		return act.kind !== "deploy";
	if (!act.subject.test(thing.split(/ (?:to|in|for|on|of|from|against|with) /)[0]!)) return false;
	// "it is pushed", "files are committed": how things go in general
	return (
		!STATIVE.test(before) || /\b(?:changes|work|everything|all changes|fix|branch|PR|pull request|#\d+)$/i.test(thing)
	);
}
