import { checkKind } from "./commands.ts";
import { isEdit } from "./file-uses.ts";
import type { Failure, OpenCall } from "./session-state.ts";
import { partsOf } from "./shell-text.ts";

/** Programs that only look: when they find nothing, nothing is left to be mended. */
const LOOKS = new Set(
	(
		"cd pushd ls ll la cat bat head tail less more grep egrep fgrep zgrep rg ag find fd fdfind which type whereis stat file wc du " +
		"tree pwd test [ readlink realpath basename dirname sort uniq cut tr nl column echo printf true"
	).split(" "),
);
const programOf = (run: string): string => run.split(" ", 1)[0]!;
/** A part of a command that only looks. */
export const looksOnly = (run: string): boolean =>
	LOOKS.has(programOf(run)) || run === "command -v" || /^(?:command -v|sed -n) /.test(run);
const EXIT = /^(?:Error: )?Exit code \d+\s*/;
/** Programs that ask whether something is there or differs: 1 is an answer, whatever they print. */
const ASKS = new Set(
	"ls which type whereis stat find fd test [ diff cmp pgrep grep egrep fgrep zgrep rg ag".split(" "),
);
const GIT_ASKS = /^git (?:diff|grep|show-ref|rev-parse|merge-base|check-ignore|ls-files|ls-remote|cat-file)(?= |$)/;
const asks = (run: string): boolean =>
	ASKS.has(programOf(run)) || GIT_ASKS.test(run) || /^(?:cd \S+$|command -v(?= |$))/.test(run);
/** The command was not understood, so nothing of it was done. */
const NOT_UNDERSTOOD =
	/command not found|: not found|not recognized|unknown (?:sub)?command|is not a git command|missing script|can't open file|(?:unknown|unrecognized|invalid|illegal|unexpected|no such) (?:option|argument|flag|switch|primary)|syntax error|unexpected EOF|did not match any file|unknown revision|No rule to make target|no matches found|No such file or directory|Cannot find module/i;

/** A shell command that failed as a question is answered with no: nothing was found, is not there, or differs. */
export function isSlip({ tool, subject }: Pick<OpenCall, "tool" | "subject">, text: string): boolean {
	if (tool !== "Bash" || !/^(?:Error: )?Exit code [12]\b/.test(text)) return false;
	const told = text.slice(0, 2_000).replace(EXIT, "").trim();
	const parts = partsOf(subject).map((part) => part.text);
	if (!parts.every((part) => looksOnly(part) || asks(part))) return false;
	return (
		told === "" ||
		(parts.every((part) => asks(part) || ENDS_PIPE.has(programOf(part))) && !/denied|not permitted/i.test(told))
	);
}
const ENDS_PIPE = new Set("head tail wc sort uniq cut tr nl echo printf true".split(" "));

/** Calls between a mistyped command and the right one. */
const SOON = 12;

/** Whether a call that worked made good one that failed: it is the right form of a mistyped one, or reached the file that was not there. */
export function corrects({ tool, subject, order }: OpenCall, failure: Failure): boolean {
	if (failure.resolved) return false;
	const at = failure.subject.indexOf(" ");
	const [failed, what] = [failure.subject.slice(0, at), failure.subject.slice(at + 1)];
	// an edit that went through is what the one before it wanted
	if (isEdit(tool) && isEdit(failed) && what === subject) return true;
	if (NOT_THERE.test(failure.message) && filesIn(what).some((name) => filesIn(subject).includes(name))) return true;
	if (tool !== "Bash" || failed !== "Bash") return false;
	if (isWiderCheck(subject, what)) return true;
	if (order - failure.order > SOON || !NOT_UNDERSTOOD.test(failure.message)) return false;
	return isNear(words(what), words(subject));
}
const NOT_THERE = /no such file|does not exist|cannot open|can't open|cannot find|not found/i;

/** The last names of the paths in a text. */
const filesIn = (text: string): string[] =>
	text
		.split(/[\s"'`=:;|&()<>]+/, MAX_WORDS)
		.flatMap((word) => (/[./]\w/.test(word) ? [word.slice(word.lastIndexOf("/") + 1)] : []));

/** The same check of everything: the failed one had a part of it for its target. */
function isWiderCheck(command: string, failed: string): boolean {
	const kind = checkKind(command);
	if (!kind || kind === "run" || checkKind(failed) !== kind) return false;
	const [now, before] = [targetsOf(command), targetsOf(failed)];
	return now.every((word) => before.includes(word)) && now[0] === before[0];
}
/** Without what only says how it is printed, or where the output goes. */
const targetsOf = (command: string): string[] =>
	words(command.split(/\||2>|>/)[0]!.replace(/^\s*cd \S+ && /, "")).filter((word) => word && !word.startsWith("-"));

const words = (command: string): string[] => command.split(/\s+/, MAX_WORDS);
const MAX_WORDS = 60;

/** All but one of its words, and hardly any others. */
const isNear = (wrong: readonly string[], right: readonly string[]): boolean =>
	Math.min(wrong.length, right.length) > 1 &&
	Math.abs(right.length - wrong.length) <= 2 &&
	wrong.filter((word) => !right.includes(word)).length <= 1;
