import { anyOf } from "../text/text.ts";
import { saysNo, withoutExitCode } from "./outputs.ts";
import type { Failure, OpenCall } from "./session-state.ts";
import { asks, asksOrPrints, looksOnly } from "./shell-acts.ts";
import { partsOf } from "./shell-text.ts";

/** A shell command that failed as a question is answered with no: nothing was found, is not there, or differs. */
export function isSlip({ kind, subject }: OpenCall, text: string): boolean {
	if (kind !== "shell" || !saysNo(text)) return false;
	const parts = partsOf(subject).map((part) => part.text);
	if (!parts.every((part) => looksOnly(part) || asks(part))) return false;
	const told = withoutExitCode(text.slice(0, 2_000));
	return told === "" || (parts.every(asksOrPrints) && !says(told, ["denied", "not permitted"]));
}

const SOON = 12;
const NOT_THERE = ["no such file", "does not exist", "cannot open", "can't open", "cannot find", "not found"];
const NOT_UNDERSTOOD = anyOf(
	`
		command not found|: not found|not recognized|unknown (sub)?command|is not a git command|missing script|can't open file
		(unknown|unrecognized|invalid|illegal|unexpected|no such) (option|argument|flag|switch|primary)|syntax error
		unexpected EOF|did not match any file|unknown revision|No rule to make target|no matches found|No such file or directory|Cannot find module
	`,
	"i",
);

function says(text: string, phrases: readonly string[]): boolean {
	const lower = text.toLowerCase();
	return phrases.some((phrase) => lower.includes(phrase));
}

/** Whether a call that worked made good one that failed: it is the right form of a mistyped one, or reached the file that was not there. */
export function corrects({ kind, subject, order }: OpenCall, failure: Failure): boolean {
	const what = failure.subject.slice(failure.subject.indexOf(" ") + 1);
	// an edit that went through is what the one before it wanted
	if (kind === "edit" && failure.kind === "edit" && what === subject) return true;
	if (says(failure.message, NOT_THERE) && filesIn(what).some((name) => filesIn(subject).includes(name))) return true;
	if (kind !== "shell" || failure.kind !== "shell") return false;
	if (order - failure.order > SOON || !NOT_UNDERSTOOD.test(failure.message)) return false;
	return isNear(words(what), words(subject));
}

const filesIn = (text: string): string[] =>
	text
		.split(/[\s"'`=:;|&()<>]+/, MAX_WORDS)
		.flatMap((word) => (/[./]\w/.test(word) ? [word.slice(word.lastIndexOf("/") + 1)] : []));

const words = (command: string): string[] => command.split(/\s+/, MAX_WORDS);
const MAX_WORDS = 60;

/** All but one of its words, and hardly any others. */
const isNear = (wrong: readonly string[], right: readonly string[]): boolean =>
	Math.min(wrong.length, right.length) > 1 &&
	Math.abs(right.length - wrong.length) <= 2 &&
	wrong.filter((word) => !right.includes(word)).length <= 1;
