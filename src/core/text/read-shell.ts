import { literal, open, type ShellCommand, type ShellText, type Word } from "./shell-words.ts";

/**
 * Reads a shell text: what bash, zsh and sh agree on. With `variables` their values are put in, the text's own
 * assignments are added, and what is not known stays as it is written. Linear; never throws.
 */
export function readShell(text: string, variables?: Map<string, string>): ShellText {
	const reader = new Reader(text, variables);
	reader.list("");
	return reader.found;
}

const MAX_DEPTH = 24;
/** What variables may add: a status line that is wrapped stands in its command three times. */
const MAX_EXPANDED = 24 * 1024;

/** What ends a word that is not quoted. */
const SIGNS = " \t\n()<>&|;";
/** What may stand right behind a word; also nothing. */
const ENDS = " \t\n;&|)";
const isIn = (signs: string, sign: string): boolean => sign !== "" && signs.includes(sign);
/** Between words: blanks, a comment. */
const BLANK = /[ \t]+|#[^\n]*/y;
const LINE = /[^\n]*(?:\n|$)/y;
/** `<( … )`. */
const PIPE = /[<>]\(/y;
const REDIRECTION = /&>>?|<<<|<<-?|<>|<&|>&|>>|>\||[<>]/y;
const SEPARATOR = /&&|\|\||[&|;\n)]/y;
const PLAIN = /[\w./:@%+,^\]}=!-]+/y;
const QUOTED = /[^"$`\\]+/y;
/** `$name`, `$1`, `$?`, `${name}`, `${name:-plain}`. */
const VARIABLE = /\$(?:([A-Za-z_]\w*|\d)|([?#$!@*-])|\{([A-Za-z_]\w*|\d+)(?::?-([\w.,:@/* +-]*))?\})/y;
const OUTPUT = /\$\(|`/y;
const SUM = /\$\(\([\d\s+*/()]*\)\)/y;
/** A dollar sign that is one. */
const DOLLAR = /\$(?=[\s"'.,:;)/|&%]|$)/y;
const DELIMITER = /[ \t]*(?:(['"])([\w.-]+)\1|([\w.-]+))(?=[\s;|&)<>]|$)/y;
/** Braces that stand for themselves. */
const BRACES = /\{(?:\w*\}|(?=[\s;&|)]|$))/y;
const OPENING = ["if", "then", "elif", "else", "while", "until", "do", "time", "!", "{"];
/** What stands before the program that is run: words of the grammar, assignments, programs that lead to another, their options and times. */
export const LEADING =
	/^(?:[!{]|do|then|else|elif|if|while|until|exec|command|(?:\S*\/)?(env|nice|ionice|nohup|setsid|stdbuf|time|timeout|(?:ba|da|z|k|a)?sh)|[A-Za-z_]\w*=.*|-(?!S.|-sp).*|\d[\d.]*[smhd]?|pipefail)$/s;
const ASSIGNMENT = /^([A-Za-z_]\w*)=(.*)$/s;

interface OpenCommand extends ShellCommand {
	/** Only words of the grammar so far; only such before which assignments count. */
	isOpening: boolean;
	isSetting: boolean;
}

class Reader {
	found: ShellText = { commands: [], isOdd: false, isCut: false, hasOutput: false };
	private at = 0;
	private depth = 0;
	/** The sign at which the commands at hand end. */
	private closing = "";
	private expanded = 0;
	/** What the last pattern matched. */
	private match: string[] = [];
	private pending: { delimiter: string; isPlain: boolean; isIndented: boolean }[] = [];
	/** The word at hand, or those a variable was split into. */
	private built: Word[] = [];

	constructor(
		private readonly text: string,
		private readonly variables?: Map<string, string>,
	) {
		this.odd(/[\0-\x08\x0b-\x1f\x7f]/.test(text));
	}

	/** Commands up to the sign, which is passed over; without one, up to the end. */
	list(end: ")" | "`" | ""): void {
		if (++this.depth > MAX_DEPTH) this.cut();
		const around = this.closing;
		this.closing = end;
		let command = begun();
		while (this.at < this.text.length && this.sign() !== end) {
			if (this.take(BLANK)) continue;
			if (!SIGNS.includes(this.sign())) this.addWords(command);
			else if (this.sign() === "(") {
				// behind other words it is a function, or a pattern of zsh's; two of them begin a sum
				this.odd(this.sign(1) === "(" || !command.isOpening);
				this.at++;
				this.list(")");
			} else if (this.take(PIPE)) {
				this.odd(this.match[0] === ">(");
				command.words.push(open("/dev/fd/", false));
				command.isOpening = command.isSetting = false;
				this.output(")");
				this.odd(!ENDS.includes(this.sign()));
			} else if (this.take(REDIRECTION)) this.redirection(command, this.match[0]!);
			else {
				this.take(SEPARATOR);
				const separator = this.match[0]!;
				// a pattern of a case, a command in the background, two signs that shells take for one
				this.odd([")", "&"].includes(separator) || (!["&&", "\n"].includes(separator) && isIn("&;", this.sign())));
				this.end(separator === ")" ? { ...command, words: [] } : command);
				command = begun();
				if (separator === "\n") this.readDocuments();
			}
		}
		this.odd(this.pending.length > 0 || (end !== "" && this.at >= this.text.length));
		this.at++;
		this.end(command);
		this.closing = around;
		this.depth--;
	}

	private end(command: OpenCommand): void {
		if (command.words.length + command.redirections.length > 0) this.found.commands.push(command);
	}

	/** What a command prints, up to the sign. */
	private output(end: ")" | "`"): void {
		this.found.hasOutput = true;
		const built = this.built;
		this.list(end);
		this.built = built;
	}

	private odd(is = true): void {
		this.found.isOdd ||= is;
	}

	private cut(): void {
		this.found.isCut = true;
		this.at = this.text.length;
	}

	private sign = (ahead = 0): string => this.text[this.at + ahead] ?? "";

	/** Whether the pattern stands here; passes over it. */
	private take(pattern: RegExp): boolean {
		pattern.lastIndex = this.at;
		const match = pattern.exec(this.text);
		if (match) this.match = match;
		this.at += match?.[0].length ?? 0;
		return match !== null;
	}

	private addWords(command: OpenCommand): void {
		const start = this.at;
		const words = this.words();
		const [length, next] = [this.at - start, this.sign()];
		const source = this.text.slice(start, start + Math.min(length, 8));
		// a function, a list, a pipe within a word; zsh ends a group at any brace
		this.odd(
			next === "(" || (next === "<" && this.sign(1) === "(") || (["{", "}"].includes(source) && !command.isOpening),
		);
		// a descriptor, or the variable that gets one
		this.odd(isIn("<>", next) && this.sign(-1) === "}");
		if (isIn("<>", next) && length <= 8 && /^\d+$/.test(source)) return;
		for (const word of words) {
			const text = word.text ?? "";
			const [, name, value] = ASSIGNMENT.exec(text) ?? [];
			if (name && command.isSetting) this.variables?.set(name, value!);
			command.isOpening &&= OPENING.includes(text);
			command.isSetting &&= text === "export" || LEADING.test(text);
			command.words.push(word);
		}
	}

	/** A word, or those a variable is split into; none where a line goes on. */
	private words(): Word[] {
		this.built = [];
		let isQuoted = false;
		while (this.at < this.text.length) {
			const sign = this.sign();
			if (!isQuoted && (SIGNS.includes(sign) || sign === this.closing)) break;
			if (this.take(isQuoted ? QUOTED : PLAIN) || (!isQuoted && this.take(BRACES))) this.add(this.match[0]!);
			else if (this.take(SUM)) this.add("0");
			else if (this.take(OUTPUT)) {
				this.odd(this.match[0] !== "$(" || this.sign() === "(");
				this.open("", !isQuoted);
				this.output(this.match[0] === "$(" ? ")" : "`");
			} else if (sign === "$") this.dollar(isQuoted);
			else if (sign === "\\") {
				if (!this.escaped(isQuoted)) break;
			} else if (sign === "'" && !isQuoted) {
				const end = this.text.indexOf("'", this.at + 1);
				this.odd(end < 0);
				this.add(this.text.slice(this.at + 1, end < 0 ? undefined : end));
				this.at = end < 0 ? this.text.length : end + 1;
			} else {
				this.at++;
				if (sign !== '"') this.special(sign);
				else {
					isQuoted = !isQuoted;
					this.add("");
				}
			}
		}
		this.odd(isQuoted);
		return this.built;
	}

	/** What stands behind a backslash; false where it ends a line between words. */
	private escaped(isQuoted: boolean): boolean {
		const next = this.sign(1);
		const isLine = next === "\n";
		// a line that goes on within a word may put signs together
		this.odd(next === "" || (isLine && (isQuoted || this.sign(-1).trim() !== "")));
		this.at += 2;
		if (!isLine) this.add(!isQuoted || isIn('$`"\\', next) ? next : `\\${next}`);
		return !isLine || this.built.length > 0;
	}

	/** A sign that may become names of files, a home or other words. */
	private special(sign: string): void {
		const isFirst = this.built.length === 0;
		if (sign === "~" && isFirst) {
			this.odd(this.sign() !== "/" && !ENDS.includes(this.sign()));
			this.open(this.variables?.get("HOME") ?? sign, false, "/");
		} else if (sign === "[" && isFirst && this.sign().trim() === "") this.add(sign);
		else if ("*?[".includes(sign)) this.open(sign, false, "", true);
		// braces make words, and bytes of other letters may part them
		else if (sign === "{" || sign > "~") this.open(sign, true);
		else this.add(sign);
	}

	private dollar(isQuoted: boolean): void {
		if (!this.take(VARIABLE)) {
			this.odd(!this.take(DOLLAR) || (!isQuoted && isIn("\"'", this.sign())));
			if (this.sign() === "$") this.at++;
			return this.add("$");
		}
		const [source = "", plain, special, braced, otherwise] = this.match;
		const name = plain ?? special ?? braced ?? "";
		// zsh takes it for an index
		this.odd(this.sign() === "[");
		const value = this.variables?.get(name) ?? (this.variables && otherwise);
		this.expanded += value?.length ?? 0;
		if (this.expanded > MAX_EXPANDED) this.cut();
		else if (value !== undefined) {
			const [first = "", ...more] = isQuoted ? [value] : value.split(/[ \t\n]+/);
			this.add(first);
			this.built.push(...more.map(literal));
		} else if (!this.variables && isIn("?#$", name)) this.add("0");
		else {
			const isFolder = (name === "HOME" || name === "PWD") && otherwise === undefined;
			this.open(source, !isQuoted || isIn("@*", name), isFolder ? "/" : "");
		}
	}

	private add(text: string): void {
		if (this.built.length === 0) this.built.push(literal(""));
		const word = this.built.at(-1)!;
		if (word.text === null) return;
		word.text += text;
		word.start += text;
	}

	/** What an expansion decides, and what that begins with; with variables it stays as it is written. */
	private open(source: string, isSplit: boolean, start = "", isGlob = false): void {
		if (this.variables) return this.add(source);
		const isFirst = !this.built.at(-1)?.start;
		this.add(start);
		const word = this.built.at(-1)!;
		if (word.text !== null) word.isGlob = isGlob && isFirst;
		word.text = null;
		word.isSplit ||= isSplit;
	}

	private redirection(command: OpenCommand, operator: string): void {
		if (operator === "<<" || operator === "<<-") {
			if (!this.take(DELIMITER)) return this.odd();
			const [, , quoted, plain = ""] = this.match;
			this.pending.push({ delimiter: quoted ?? plain, isPlain: plain === "", isIndented: operator === "<<-" });
			command.redirections.push({ operator, target: null });
			return;
		}
		this.take(BLANK);
		const [target, ...more] = this.words();
		this.odd(!target || more.length > 0 || this.sign() === "(");
		if (target) command.redirections.push({ operator, target });
	}

	/** The lines behind a line with signs of here-documents. */
	private readDocuments(): void {
		for (const { delimiter, isPlain, isIndented } of this.pending.splice(0)) {
			const from = this.at;
			let line: string | undefined;
			while (line !== delimiter && this.take(LINE) && this.match[0] !== "")
				line = this.match[0]!.replace(isIndented ? /^\t+|\n$/g : /\n$/, "");
			this.odd(line !== delimiter || (!isPlain && /[`\\]|\$[^\w\s]|\$\w+\[/.test(this.text.slice(from, this.at))));
		}
	}
}

const begun = (): OpenCommand => ({ words: [], redirections: [], isOpening: true, isSetting: true });
