import type { Word } from "../core/text/shell-words.ts";
import programs from "./programs.json";

/**
 * What a program may be given so that it only reads: `programs.json`. Programs by `|`, behind them their subcommands. The form in
 * words: letters of options without a value, letters with one (`kt=`), `#` for `-20`, `--long` options and others to the letter; then
 *
 * - `*` anything, `!…` anything but these, by letter or by any abbreviation
 * - `~` what expansions decide may be an option: none of them writes
 * - `<1` so many operands at most, `?…` operands only beside one of these, `&…` not without one of these
 * - `--` ends the options: what follows is an operand
 * - `/…` what each operand must look like
 * - `repo` where git runs nothing by its configuration
 *
 * Whatever stands nowhere there is held back. What is not obvious: `date` sets the clock by a time without a sign or a word, `tar`
 * takes a colon for another machine, `gh api` posts when it is given fields, and `git config edit` opens an editor.
 */
const FORMS = new Map([
	...named(programs.anything, (name) => name, "*"),
	...named(programs.version, (name) => `${name} --version`, "<0"),
	...named(programs.git, (name) => `git ${name}`, "repo *"),
	...Object.entries(programs.forms).flatMap(([names, form]) =>
		names
			.split(" ")
			.map((part) => part.split("|"))
			.reduce((lines, part) => lines.flatMap((line) => part.map((name) => `${line} ${name}`)))
			.map((name) => [name, form.join(" ")] as const),
	),
]);

function named(lines: string[], nameOf: (name: string) => string, form: string): (readonly [string, string])[] {
	return lines.flatMap((line) => line.split(" ")).map((name) => [nameOf(name), form] as const);
}

/** The longest name of a program with subcommands that these words begin with: its form, and how many words it has. */
function formOf(words: readonly Word[]): { form: string; count: number } | null {
	for (let count = Math.min(3, words.length); count > 0; count--) {
		const form = FORMS.get(
			words
				.slice(0, count)
				.map(({ text }) => text)
				.join(" "),
		);
		if (form !== undefined) return { form, count };
	}
	return null;
}
/** Whether a program may take the word for an option. `hasDashes`: whether a file there has a name with a dash before it. */
export function mayBeOption({ text, start, isSplit, isGlob }: Word, hasDashes: () => boolean): boolean {
	if (text !== null) return text.startsWith("-") && text !== "-";
	if (isSplit) return true;
	return start === "" ? !isGlob || hasDashes() : start.startsWith("-");
}

/** Whether the table knows that a command with these words only reads; "by git" where that hangs on git's configuration. */
export function readsOnly(words: Word[], hasDashes: () => boolean): boolean | "by git" {
	const found = formOf(words);
	if (!found) return false;
	const parts = found.form.split(" ");
	const operands = operandsOf(words.slice(found.count), parts, hasDashes);
	const pattern = parts.find((part) => part.startsWith("/"))?.slice(1);
	const isOperand = ({ text }: Word): boolean =>
		!pattern || (text !== null && new RegExp(`^(?:${pattern})$`, "s").test(text));
	if (!operands?.every(isOperand)) return false;
	return parts.includes("repo") ? "by git" : true;
}

/** The words that are no options; `null` where a word may be an option that the form does not allow. */
function operandsOf(words: Word[], parts: string[], hasDashes: () => boolean): Word[] | null {
	const marked = (mark: string): string[] => parts.flatMap((part) => (part.startsWith(mark) ? [part.slice(1)] : []));
	const [beside, needs, most] = [marked("?"), marked("&"), marked("<")[0]];
	const options: string[] = [];
	const operands: Word[] = [];
	// some programs, and some versions, end their options at the first operand
	const isOrdered = (most || needs.length > 0) && !parts.includes("--");
	let isEnded = false;
	let isBehind = false;
	for (const [i, word] of words.entries()) {
		const { text, start, isSplit, isGlob } = word;
		if (isEnded || parts.includes("*") || !mayBeOption(word, hasDashes)) operands.push(word);
		else if (text === "--" && !isBehind) {
			isEnded = parts.includes("--") && !words[i - 1]?.start.startsWith("-");
			isBehind = true;
		} else if (text === null && parts.includes("~") && !start.startsWith("-") && !isGlob) operands.push(word);
		else {
			// of `--name=…` the name is enough
			const known = text ?? (isSplit ? "" : (/^--[\w-]+=/.exec(start)?.[0] ?? ""));
			const names = optionsIn(known, parts, [...beside, ...needs], marked("!"));
			if (!names || isBehind || (isOrdered && operands.length > 0)) return null;
			options.push(...names);
		}
	}
	const isAny = (names: string[]): boolean => names.length === 0 || names.some((name) => options.includes(name));
	if (!isAny(needs) || (operands.length > 0 && !isAny(beside))) return null;
	const isCounted = !most || (operands.length <= Number(most) && operands.every((one) => one.text !== null));
	return isCounted ? operands : null;
}

/** The names of the options in a word; `null` where one is not allowed. */
function optionsIn(text: string, parts: string[], more: string[], denied: string[]): string[] | null {
	const name = text.startsWith("--") ? text.split("=")[0]! : text;
	if (text === "") return null;
	if (denied.length > 0) return denied.some((one) => isNamed(name, one)) ? null : [name];
	if (parts.includes(name) || more.includes(name)) return [name];
	if (parts.includes("#") && /^-\d+[kMGcbw]?$/.test(text)) return [text];
	if (text.startsWith("--")) return null;
	const letters = parts.filter((part) => /^[\w.]+=?$/.test(part) && part !== "repo");
	const given: string[] = [];
	for (const letter of text.slice(1)) {
		const part = letter === "=" ? undefined : letters.find((one) => one.includes(letter));
		if (!part && !more.includes(`-${letter}`)) return null;
		given.push(`-${letter}`);
		if (part?.endsWith("=")) break;
	}
	return given;
}

/** Whether an option is the denied one: its letter among others, or any abbreviation. */
function isNamed(option: string, denied: string): boolean {
	if (denied.length === 1) return !option.startsWith("--") && option.includes(denied);
	const name = option.slice(2);
	return option.startsWith("--") && name !== "text" && (denied.startsWith(name) || name.startsWith(denied));
}
