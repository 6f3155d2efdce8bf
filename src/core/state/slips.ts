import type { Failure, OpenCall } from "./session-state.ts";
import { withoutQuotes } from "./shell-text.ts";

/** Programs that only look: when they find nothing, nothing is left to be mended. */
const LOOKS =
	/^(?:cd|pushd|ls|ll|la|cat|bat|head|tail|less|more|grep|egrep|fgrep|zgrep|rg|ag|find|fd|fdfind|which|type|command -v|whereis|stat|file|wc|du|tree|pwd|test|\[|readlink|realpath|basename|dirname|sed -n|sort|uniq|cut|tr|nl|column|echo|printf|true)(?= |$)/;
const NOTHING_THERE =
	/No such file or directory|cannot access|cannot open|not a directory|Is a directory|does not exist|no matches found|no [\w-]+ in \(/i;
const EXIT = /^(?:Error: )?Exit code \d+\s*/;
/** The shell did not get to the rest. */
const CD = /^(?:[\w/-]{1,40}: (?:line \d+: )?|\(eval\):)?cd:/;
/** The command was not understood, so nothing of it was done. */
const NOT_UNDERSTOOD =
	/command not found|: not found|not recognized|unknown (?:sub)?command|is not a git command|missing script|can't open file|(?:unknown|unrecognized|invalid|illegal|unexpected|no such) (?:option|argument|flag|switch|primary)|syntax error|unexpected EOF|did not match any file|unknown revision|No rule to make target|no matches found|No such file or directory|Cannot find module/i;

/** A failed shell command that only looked for what is not there, or went to a folder that is not. */
export function isSlip({ tool, subject }: Pick<OpenCall, "tool" | "subject">, text: string): boolean {
	if (tool !== "Bash") return false;
	const told = text.slice(0, 2_000).replace(EXIT, "").trim();
	if (CD.test(told) && !told.includes("\n")) return true;
	const parts = withoutQuotes(subject).split(/&&|\|\||[;|\n]/);
	return parts.every((part) => !part.trim() || looksOnly(part.trim())) && (told === "" || NOTHING_THERE.test(told));
}

/** A part of a command that only looks. */
export const looksOnly = (part: string): boolean => LOOKS.test(part);

/** Calls between a mistyped command and the right one. */
const SOON = 12;

/** Whether a command that worked is the right form of one that was not understood. */
export function corrects({ subject, order }: OpenCall, failure: Failure): boolean {
	if (failure.resolved || order - failure.order > SOON || !failure.subject.startsWith("Bash ")) return false;
	if (!NOT_UNDERSTOOD.test(failure.message)) return false;
	return isNear(words(failure.subject.slice(5)), words(subject), /not found|not recognized/.test(failure.message));
}

const words = (command: string): string[] => command.split(/\s+/, MAX_WORDS);
const MAX_WORDS = 60;

function isNear(wrong: readonly string[], right: readonly string[], isProgram: boolean): boolean {
	// another spelling of the program, whatever follows
	if (isProgram && wrong[0] !== right[0] && isAlike(wrong[0]!, right[0]!)) return true;
	if (wrong.length === right.length) {
		const other = wrong.flatMap((word, i) => (word === right[i] ? [] : [i]));
		return other.length === 1 && isAlike(wrong[other[0]!]!, right[other[0]!]!);
	}
	const [short, long] = wrong.length < right.length ? [wrong, right] : [right, wrong];
	return long.length - short.length <= 2 && short.length > 1 && isWithin(short, long);
}

/** All words of the one, in their order, among those of the other. */
function isWithin(short: readonly string[], long: readonly string[]): boolean {
	let at = 0;
	for (const word of long) if (word === short[at]) at++;
	return at === short.length;
}

/** At most two letters apart, of words that have more than that. */
function isAlike(one: string, other: string): boolean {
	if (Math.max(one.length, other.length) > MAX_WORD || Math.min(one.length, other.length) < 2) return false;
	return distance(one, other) <= (Math.min(one.length, other.length) < 3 ? 1 : 2);
}
const MAX_WORD = 60;

function distance(one: string, other: string): number {
	let row = Array.from({ length: other.length + 1 }, (_, i) => i);
	for (const [i, letter] of [...one].entries()) {
		const next = [i + 1];
		for (let j = 0; j < other.length; j++)
			next.push(Math.min(row[j]! + Number(letter !== other[j]), row[j + 1]! + 1, next[j]! + 1));
		row = next;
	}
	return row.at(-1)!;
}
