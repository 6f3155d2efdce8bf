import type { Deed } from "../state/deeds.ts";
import type { SessionState } from "../state/session-state.ts";
import { type DeedKind, deedsOfCommand } from "../state/shell-acts.ts";
import { DONE, DONE_UNSPACED, wordsFor } from "../text/acts.ts";
import { foreign } from "../text/quoted.ts";
import { cut, oneLine } from "../text/text.ts";
import { type Statement, statementsIn } from "./statements.ts";

/** Something a summary says of the user or of the work that the session's record does not bear out. */
export interface Claim {
	/** The summary's sentence. */
	sentence: string;
	/** The words it puts into the user's mouth; `""` for an approval without words and for what was done. */
	quote: string;
	/** That it says of something that it was done; else it is about the user. */
	about?: "deed";
	/** What the record says. */
	finding: string;
}

/** A claim with how bad it is: the lower, the worse. */
export type Ranked = Claim & { rank: number };

/** What a summary may say was done: one row each. */
interface Row {
	kind: DeedKind;
	/** Said of who writes, or of what they work on; of an edit with the file. */
	says: RegExp;
	/** What a finding calls it. */
	act: string;
	did: string;
	/** Deeds that may have done it as well; `others`: where it is only said to be so, whoever did it. */
	also?: DeedKind;
	others?: DeedKind;
	/** The user says that it is done. */
	done: RegExp;
}

const I = "(?:(?:i|we|i've|we've|have|also|just|successfully|now|finally|force-?|all|both) ?)*";
const IS = "(?:was|were|has been|have been|is|are)(?: (?:now|all|also|both|then|successfully|just))*";
const THING =
	"(?:all |the |my |our |both |this |these |[\\w-]+ ){0,4}(?:changes|work|fix|fixes|everything|all|branch|branches|commits?|tags?|it|this|feature|update|release|code|implementation|refactoring|docs|tests|files)";
const SERVICE =
	"(?:[\\w-]+ ){0,3}(?:app|application|service|site|website|changes|version|worker|stack|api|backend|frontend|fix|build)";
/** What may follow; else the word describes the next one ("committed files are kept"). */
const END =
	"(?=$|[.!✅] ?$|[.!]| (?:to|as|with|on|it|successfully|them|the|all|both|everything|my|our|these|this|locally|changes|`|#|v?\\d|[0-9a-f]{7}))";
/** `pushed` onto a stack is no push. */
const NO_REMOTE = "(?! (?:to|onto|into|on) (?:the |an? )?(?:\\w+ )?(?:stack|queue|list|array|front|top|end)\\b)";
const stated = (verb: string, thing: string): RegExp =>
	new RegExp(`^(?:${I}${verb}|${thing} ${IS} ${verb})${NO_REMOTE}${END}`);
const FILE = "`?([\\w@./-]{1,120}\\.[a-z]\\w{0,5})`?(?=$|[\\s.])";

/** Made when a summary is judged: the patterns are put together. */
const table = (): Row[] => [
	{
		...{ kind: "commit", act: "commit", did: "made a commit", others: "seen history" },
		...{ says: stated("committed", THING), done: /\bcommitted\b/i },
	},
	{
		...{ kind: "push", act: "push", did: "pushed", others: "seen history" },
		...{ says: stated("pushed", THING), done: /\bpushed\b/i },
	},
	{
		...{ kind: "deploy", act: "deployment", did: "deployed anything", also: "push" },
		...{ says: stated("deployed", SERVICE), done: /\bdeployed\b|\blive\b/i },
	},
	{
		...{ kind: "test", act: "test run", did: "ran tests", done: /\bpass(?:es|ed|ing)?\b|\bgreen\b|^(?:ok|PASS)\b/im },
		says: new RegExp(
			`^(?:${I}ran (?:(?:all|the|full|whole|entire|unit) )*tests?(?: suite)?$|(?:(?:all|the|full|whole|entire|unit|our|\\d+) )*tests?(?: suite)?(?: (?:now|all|still|again|are|were))* (?:pass|passes|passed|passing|green)(?= now| again|[.!✅ ]*$))`,
		),
	},
	{
		...{ kind: "edit", act: "writing", did: "wrote", done: /\b(?:created|wrote|edited|updated|changed)\b/i },
		says: new RegExp(
			`^(?:${I}(?:created|wrote|updated|edited) (?:(?:an?|the|new|file|script) )*${FILE}|${FILE} ${IS} (?:created|updated)[.]?$)`,
		),
	},
];

/** Different things that one summary says were done. */
const MAX_JUDGED = 200;

/**
 * Statements of a summary that something was done which the record does not bear out: no call did it, the call failed or was refused.
 * Judged only where every call of the session was seen; where a script, a subagent or the user may have done it, nothing is said.
 */
export function unsupportedDeeds(summary: string, state: SessionState): Ranked[] {
	const { deeds } = state;
	if (!deeds || state.partial || deeds.some(({ kind }) => kind === "unseen")) return [];
	const rows = table();
	const seen = new Set<string>();
	return statementsIn(summary).flatMap((statement) =>
		rows.flatMap((row) => {
			const said = row.says.exec(statement.text);
			const file = said?.[1] ?? said?.[2] ?? "";
			const key = `${row.kind} ${file}`;
			if (!said || !isStated(said[0], statement) || seen.has(key) || seen.size >= MAX_JUDGED) return [];
			seen.add(key);
			const found = userDid(row, state)
				? null
				: row.kind === "edit"
					? ofEdit(file, state, deeds)
					: ofRow(row, said[0], deeds);
			if (!found) return [];
			const { last, of } = found;
			const sentence = cut(oneLine(statement.sentence), 300);
			return [{ sentence, quote: "", about: "deed" as const, ...(last ? failed(last, row.act) : never(row, of)) }];
		}),
	);
}

/** A verb alone goes on with what its sentence began: "fixed and pushed", not "events are queued and pushed". */
const isStated = (said: string, { isOwn }: Statement): boolean =>
	isOwn || /\btests?\b/.test(said) || IS_SAID.test(said);
const IS_SAID = / (?:was|were|been|is|are)\b/;

/** "Pushed it", "done" to what was asked, or a shell line of the user's. */
const userDid = ({ kind, done }: Row, { messages }: SessionState): boolean =>
	messages.some(
		({ text }) =>
			done.test(text) ||
			(kind !== "test" && text.length <= 80 && SAYS_DONE.test(text)) ||
			[...text.matchAll(PROMPT)].slice(0, MAX_TYPED).some(([, command]) => {
				const { sure, maybe } = deedsOfCommand(command!);
				return [...sure, ...maybe].some((one) => one === kind || one === "unseen");
			}),
	);
const SAYS_DONE = new RegExp(`\\b(?:${wordsFor(DONE)})\\b|${wordsFor(DONE_UNSPACED)}`, "i");
/** A shell line, typed here or pasted with its prompt. */
const PROMPT = /^\s{0,8}(?:[$❯%!]|\S{1,60}[$%]) (.{2,300})$/gm;
const MAX_TYPED = 500;

/** That it was not done: the last call that was to do it, if any, and of which file. `null` where it was, or may have been. */
type Undone = { last: Deed | undefined; of: string } | null;

function ofRow({ kind, also, others }: Row, said: string, deeds: readonly Deed[]): Undone {
	const all = deeds.filter(
		(one) => one.kind === kind || one.kind === also || (one.kind === others && IS_SAID.test(said)),
	);
	const last = all.findLast((one) => one.kind === kind);
	// tests that passed once: what is said of the present is of the last run
	const isNow = kind === "test" && ["pass", "passes", "passing", "green"].some((word) => said.endsWith(word));
	const counted = isNow && all.every(({ outcome }) => outcome !== "maybe" && outcome !== "open") ? all.slice(-1) : all;
	// another one of them that came to nothing may be what is meant
	return counted.some(isDone) || (all.length > 0 && !last) ? null : { last, of: "" };
}

function ofEdit(file: string, { files, dropped }: SessionState, deeds: readonly Deed[]): Undone {
	// a command may have written it
	if (dropped.files || deeds.some(({ kind }) => kind === "files")) return null;
	const name = file.replace(/^(?:\.\/|~\/)+/, "");
	const isIt = (path: string): boolean => nameOf(path.toLowerCase()) === nameOf(name);
	const its = deeds.filter(({ kind, what }) => kind === "edit" && isIt(what));
	const isWritten = files.some(({ path, edits }) => isIt(path) && edits > 0);
	return isWritten || its.some(isDone) ? null : { last: its.at(-1), of: ` ${foreign(name)}` };
}

const nameOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

/** Or may be: a call without a result may have ended all the same. */
const isDone = ({ outcome }: Deed): boolean => outcome === "done" || outcome === "maybe" || outcome === "open";

const never = ({ did }: Row, of: string) => ({ finding: `no call of this session ${did}${of}`, rank: 1 });

function failed({ outcome, order, told }: Deed, act: string) {
	if (outcome === "refused") return { finding: `the ${act} at call ${order} was refused and did not run`, rank: 0 };
	return { finding: `the ${act} at call ${order} failed${told ? `: ${foreign(told)}` : ""}`, rank: 0 };
}
