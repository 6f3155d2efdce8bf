import type { ParsedScript, Word, WordPart } from "unbash";

/** A word of a command as far as it is known before the shell expands it. */
export interface ShellWord {
	/** The word without its quotes; `null` where an expansion decides. */
	text: string | null;
	/** What it begins with for certain. */
	start: string;
	/** The same as `text`, with a digit for each expansion that can only give digits; `null` where others are in it. */
	shape: string | null;
	/** It may become any words, or none: an expansion outside of quotes. */
	split: boolean;
	/** It may become several words, each with this start: file names, braces. */
	several: boolean;
	/** It begins as the names of files do. */
	glob: boolean;
}

/** What expansions can become. */
export interface Variables {
	expansion(name: string, quoted: boolean): ShellWord;
	/** Of a command substitution. */
	output(script: ParsedScript | undefined, quoted: boolean): ShellWord;
	isNumber(name: string): boolean;
	/** What `~` becomes. */
	home: ShellWord;
}

/** A word that is this text. */
export const known = (text: string): ShellWord => ({
	text,
	start: text,
	shape: text,
	split: false,
	several: false,
	glob: false,
});

/** One word of which only the beginning is known. */
export const begun = (start: string, more: Partial<ShellWord> = {}): ShellWord => ({
	...known(""),
	text: null,
	shape: null,
	start,
	...more,
});

/** A number. */
export const DIGITS = begun("0", { shape: "0" });

/** What is known of a word. The commands in it are judged by themselves. */
export function shellWord(word: Word, variables: Variables): ShellWord {
	const parts: readonly WordPart[] | undefined = word.parts;
	// without parts it is text, quoted by backslashes at most
	const pieces = parts?.map((part) => pieceOf(part, variables, false)) ?? [known(word.value)];
	if (!word.text.startsWith("~")) return joined(pieces);
	const isHome = /^~(?:\/|$)/.test(word.text);
	if (pieces[0]!.text !== null) pieces[0] = known(pieces[0]!.text.slice(1));
	return joined([isHome ? variables.home : begun("/"), ...pieces]);
}

function joined(pieces: ShellWord[]): ShellWord {
	const found = known("");
	for (const piece of pieces) {
		if (found.text !== null) {
			found.start += piece.start;
			found.glob = found.start === "" && piece.glob;
		}
		found.text = found.text === null || piece.text === null ? null : found.text + piece.text;
		found.shape = found.shape === null || piece.shape === null ? null : found.shape + piece.shape;
		found.split ||= piece.split;
		found.several ||= piece.several;
	}
	return found;
}

function pieceOf(part: WordPart, variables: Variables, quoted: boolean): ShellWord {
	switch (part.type) {
		case "Literal":
		case "SingleQuoted":
			return known(part.value);
		case "DoubleQuoted":
			return joined(part.parts.map((child) => pieceOf(child, variables, true)));
		case "AnsiCQuoted":
			// the usual escapes: of others shells differ
			return /^\$'(?:[^\\']|\\[nt\\'"])*'$/.test(part.text) ? known(part.value) : begun("");
		case "SimpleExpansion":
			return variables.expansion(part.text.slice(1), quoted);
		case "ParameterExpansion":
			if (part.prefix === "#") return DIGITS;
			// the first letters
			if (
				part.operation?.type === "Slice" &&
				part.operation.offset.text.trim() === "0" &&
				/^[1-9]/.test(part.operation.length?.text ?? "")
			) {
				const { start, split } = variables.expansion(part.parameter, quoted);
				return begun(start.slice(0, 1), { split });
			}
			// all elements of a list are any number of words also within quotes
			if (part.prefix || part.index || part.operation)
				return begun("", { split: !quoted || part.parameter === "@" || part.index?.text === "@" });
			return variables.expansion(part.parameter, quoted);
		case "CommandExpansion":
			return variables.output(part.script, quoted);
		case "ArithmeticExpansion":
			return DIGITS;
		case "ProcessSubstitution":
			return begun("/dev/fd/");
		case "Glob":
			return begun("", { glob: true, several: true });
		case "BraceExpansion":
			return begun(PLAIN_BRACES.test(part.text) ? part.text[1]! : "", {
				several: true,
				split: !PLAIN_BRACES.test(part.text),
			});
		default:
			return begun("", { split: true });
	}
}

const PLAIN_BRACES = /^\{(?:[\w./][\w./-]*(?:,[\w./][\w./-]*)+|\w+\.\.\w+(?:\.\.\d+)?)\}$/;

/** Whether a program may take the word for an option. `dashes`: whether a file in the folder begins with a dash, if that is known. */
export function mayBeOption(word: ShellWord, dashes: boolean | undefined): boolean {
	if (word.text !== null) return /^[-+]./.test(word.text);
	if (word.split) return true;
	if (word.start !== "") return /^[-+]/.test(word.start);
	return !word.glob || dashes !== false;
}
