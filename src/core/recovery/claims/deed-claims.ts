import type { DeedKind } from "../../state/deed-kinds.ts";
import { checkClaims } from "./check-claims.ts";
import type { About, DeedClaim } from "./deed-claim.ts";
import { foreignClaims } from "./foreign-deeds.ts";
import { type MainLine, mainLines, statementsOf } from "./main-text.ts";
import { labelClaims, nounClaims } from "./noun-claims.ts";
import { OTHERS, PERSONS } from "./other-people.ts";

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

const VERB =
	/\b(force[- ]?pushed|pushed|committed|merged|tagged|published|deployed|released|opened|created|closed|commented|installed|deleted|removed|renamed|moved|wrote|added|ran|run|applied|started|launched|filed|made)\b/gi;
/** What may follow when nobody is named who did it: else the word describes the next one ("committed files are kept"). */
const AFTER =
	/^(?:\s*$|\s*[.,;:!)(–—&+/]|\s(?:to|as|with|on|onto|in|into|it|them|the|all|both|everything|my|our|these|this|that|and|locally|successfully|changes|work|a|an|by|from|for|via|under|at|after|again|cleanly|v?\d|version)\b|\s[`"#(✅]|\s[0-9a-f]{7,40}\b|\s[A-Z])/;

const SUBJECTS: Partial<Record<DeedKind, RegExp>> = {
	commit:
		/\b(?:changes|work|fix(?:es)?|everything|all|edits|feature|implementation|refactor(?:ing)?|it|update|updates|docs|tests|files?|this)$/i,
	push: /\b(?:changes|work|fix(?:es)?|everything|all|branch(?:es)?|commits?|tags?|it|feature|update|updates|result|release|this|main|both|code|implementation|refactor(?:ing)?)$/i,
	merge:
		/\b(?:PR|MR|pull request|merge request|PR #?\d{1,6}|pull request #?\d{1,6}|#\d{1,6}|branch|it|changes|work|main|feature)$/i,
	tag: /\b(?:release|version|v?\d[\w.]{1,12}|commit|it)$/i,
	publish: /\b(?:packages?|version|v?\d[\w.]{1,12}|crate|it|library|gem|module|release)$/i,
	release: /\b(?:packages?|version|v?\d[\w.]{1,12}|it|library)$/i,
	deploy:
		/\b(?:app|application|service|site|website|changes|it|version|v?\d[\w.]{1,12}|worker|stack|api|backend|frontend|fix|build|infrastructure|everything)$/i,
	"open request": /\b(?:PR|MR|pull request|merge request|PR #?\d{1,6}|pull request #?\d{1,6})$/i,
	"open issue": /\b(?:issue|ticket|issue #?\d{1,6})$/i,
	close: /\b(?:issue|ticket|issue #?\d{1,6}|PR|PR #?\d{1,6}|pull request|#\d{1,6})$/i,
	install: /\b(?:dependencies|packages?|it|deps|modules|tools?|library|requirements|[\w@/.-]{2,40})$/i,
	migrate: /\bmigrations?$/i,
	serve: /\bserver$/i,
};
const THING = /((?:[\w#@./'`-]{1,40} ){0,5}[\w#@./'`-]{1,60})$/;
const REQUEST = /^\s(?:a |an |the |new |draft |follow-up )*(?:PR|MR|pull request|merge request)\b/i;
const ISSUE = /^\s(?:a |an |the |new |follow-up |GitHub |Linear |tracking )*(?:issues?|tickets?)\b/i;
const FILE =
	/^\s(?:(?:a|an|the|new|file|test|script|document|doc|docs|migration|module|component|helper|spec|config) ){0,4}`?([\w@./-]{1,120}\.[a-z]\w{0,5})`?(?=[\s.,;:()–—]|$)/i;
const NAMED = /`?([\w@./-]{1,120}\.[a-z]\w{0,5})`? $/i;

/** The statements of a summary's main text that something was done, in their order. */
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
			.replace(/\b(?:pull|merge) requests?\b/gi, "PR")
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
		const claims = [
			...checkClaims(said, next, about),
			...verbs(said, about),
			...nounClaims(said, about),
			...labelClaims(said, about),
		];
		return claims.length ? claims : foreignClaims(said, about);
	});
}

function verbs(text: string, about: About): DeedClaim[] {
	const claims: DeedClaim[] = [];
	for (const found of text.matchAll(VERB)) {
		const [before, after] = [text.slice(0, found.index), text.slice(found.index + found[0].length)];
		const how = formOf(found[1]!, before, after, text);
		if (!how) continue;
		const what = meantBy(found[1]!.toLowerCase(), how, before, after);
		if (!what) continue;
		claims.push({ ...about, ...what, isPassive: how === "passive", which: "" });
		if (claims.length >= 6) break;
	}
	return claims;
}

/** A legend: what a mark stands for. */
const MEANS = /[=→]|->/;

/** Part of every word looked for: most statements have none. */
const TELLS =
	/push|commit|comment|merge|tagged|publish|deploy|release|opened|create|closed|install|delete|removed|renamed|moved|wrote|added|ran|run|applied|started|launched|filed|made|done|pass|green|clean|succe|build|built|compile|issue|grün|bestanden|bestehen|réuss|checkt|ausgerollt|poussé|déploy|despleg|zusammen|pasa|推送|提交|合并|部署|通过/i;

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
const BARE = /^(?:force|push|commit|deploy|publish|releas|tag)/i;
const PASSIVE_ANY =
	/(?:(?:changes|work|everything|fix|branch|all|feature) (?:is|are)|was|were|has been|have been) (?:\w+ly |now |all )?(?:\w+ed|done|made|written|built)/;

function meantBy(verb: string, how: Form, before: string, after: string): Pick<DeedClaim, "kind" | "file"> | null {
	const plain = (kind: DeedKind): Pick<DeedClaim, "kind" | "file"> | null =>
		how !== "passive" || isSubject(kind, before) ? { kind, file: "" } : null;
	const file = (how === "passive" ? NAMED.exec(before.replace(PASSIVE, "")) : FILE.exec(after))?.[1] ?? "";
	const named = (kind: DeedKind): Pick<DeedClaim, "kind" | "file"> | null => (file ? { kind, file } : null);
	switch (verb) {
		case "pushed":
			return /\bforce[- ]$/i.test(before) ? plain("force push") : NO_REMOTE.test(after) ? null : plain("push");
		case "force-pushed":
		case "force pushed":
		case "forcepushed":
			return how === "passive"
				? isSubject("push", before)
					? { kind: "force push", file: "" }
					: null
				: plain("force push");
		case "committed":
			return /^ (?:to (?:a|an|the|using|do)|on (?:using|doing))\b(?! (?:branch|repo|main))/.test(after)
				? null
				: plain("commit");
		case "merged":
			return /^ (?:the )?(?:two|duplicate|both (?!branches)|helper|function|config|logic|with existing|them|it into|into (?:one|a|the same|a single))/.test(
				after,
			) ||
				(how !== "passive" && !MERGES.test(after))
				? null
				: plain("merge");
		case "tagged":
			return how === "passive" || /^ (?:v?\d|`?v\d|the (?:release|commit|version)|as v?\d|release|it as)/.test(after)
				? plain("tag")
				: null;
		case "published":
			return how === "passive" ||
				/^ (?:v?\d|`?v\d|to |it |the (?:package|release|crate|library)|the new version|version|package|on )/.test(after)
				? plain("publish")
				: null;
		case "deployed":
			return plain("deploy");
		case "released":
			return how === "passive" || /^ (?:v?\d|`?v\d|version|the (?:new )?version|it\b|as v?\d)/.test(after)
				? plain("release")
				: null;
		case "opened":
		case "created":
		case "filed":
		case "made":
			if (how === "passive" ? isSubject("open request", before) : REQUEST.test(after))
				return { kind: "open request", file: "" };
			if (how === "passive" ? isSubject("open issue", before) : ISSUE.test(after))
				return { kind: "open issue", file: "" };
			if (verb === "created" && how !== "passive" && /^ (?:a |the )?(?:new )?commits?\b/.test(after))
				return { kind: "commit", file: "" };
			return verb === "created" ? named("files") : null;
		case "wrote":
			return named("files");
		case "added":
			return /^ (?:a |the )?(?:new )?(?:test |doc )?file\b/.test(after) ? named("files") : null;
		case "closed":
			return how === "passive" || /^ (?:the )?(?:issue|ticket|PR|pull request|#\d)/i.test(after)
				? plain("close")
				: null;
		case "commented":
			return /^ on (?:the |issue |PR )/i.test(after) ? plain("comment") : null;
		case "installed":
			return /^ (?:in|at|as|by|under|on)\b/.test(after) && how === "passive" ? null : plain("install");
		case "deleted":
		case "removed":
			return file &&
				(how === "passive" ||
					/^[^,;.]{0,130}`?(?:$|[.,;:)]| (?:and|as|since|because|file|entirely|completely|from the (?:repo|project|tree)))/.test(
						after.slice(after.indexOf(file) + file.length),
					))
				? { kind: "delete", file }
				: null;
		case "renamed":
		case "moved":
			return file && / (?:to|into) /.test(after) ? { kind: "rename", file } : null;
		case "ran":
		case "run":
		case "applied":
			if (
				how === "passive"
					? isSubject("migrate", before)
					: /^ (?:the |all |pending |database |db )*migrations?\b(?! (?:script|code|file|test))/i.test(after)
			)
				return { kind: "migrate", file: "" };
			return verb === "ran" &&
				/^ (?:all |the |full |whole |entire |unit |integration )*tests?(?: suite)?\b(?! for)/i.test(after)
				? { kind: "test", file: "" }
				: null;
		case "started":
		case "launched":
			return (
				how === "passive"
					? isSubject("serve", before)
					: /^ (?:the |a )?(?:dev |development |local |web |api |backend |http )*server\b/i.test(after)
			)
				? { kind: "serve", file: "" }
				: null;
		default:
			return null;
	}
}
const NO_REMOTE =
	/^ (?:down|back|the (?:value|event|item|limit|button)|into (?:a|the) (?:list|array|queue|stack)|onto|through|for\b|towards?|it (?:into|onto)|values?|items?|events?|logic)/;
const MERGES =
	/^ (?:`?(?:origin\/)?(?:main|master|develop|trunk)\b|(?:the )?(?:PR|MR|pull request|branch|feature branch|#\d)|it (?:to|into)|(?:to|into|in|with) `?(?:main|master|develop|trunk)|`[\w./-]+` (?:into|to)|(?:and|[.,;)]|$))/i;

const STATIVE = /\b(?:is|are|is now|are now) (?:\w+ ){0,2}$/;

/** Whether a passive is about what the agent works on. How code behaves is told the same way. */
function isSubject(kind: DeedKind, before: string): boolean {
	const rest = before
		.replace(PASSIVE, "")
		.trimEnd()
		.replace(/ (?:is|was|were|are|has been|have been) (?:\w+ ){0,2}\w+ed(?:,| and|,? then){1,2}$/, "");
	const thing = THING.exec(rest)?.[1] ?? "";
	if (/^(?:[-*•✅]\s?)?(?:Everything|Status|Work|Git|Branch|Done)$/i.test(thing) || /^`[^`]+`$/.test(thing))
		return kind === "push" || kind === "commit" || kind === "merge";
	const subject = SUBJECTS[kind === "force push" ? "push" : kind];
	if (!subject?.test(thing.split(/ (?:to|in|for|on|of|from|against|with) /)[0]!)) return false;
	// "it is pushed", "files are committed": how things go in general
	return (
		!STATIVE.test(before) || /\b(?:changes|work|everything|all changes|fix|branch|PR|pull request|#\d+)$/i.test(thing)
	);
}
