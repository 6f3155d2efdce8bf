/** A shell text, taken apart. */
export interface ShellText {
	/** The words of its simple commands, without quotes. */
	commands: string[][];
	/** It also writes to or reads from a file, or runs what stands inside a word. */
	hasMore: boolean;
}

const MAX_CHARS = 8 * 1024;
/** A status line that is wrapped stands in its command three times. */
const MAX_EXPANDED = 3 * MAX_CHARS;

/**
 * A shell text split as sh splits it, so far as that can be done without running it; `null` where it is too long, also with its
 * variables put in. `set` holds the variables that are known, and takes in what the text sets. Linear; what it can't follow
 * stays as it is written.
 */
export function readCommands(text: string, set: Map<string, string>): ShellText | null {
	if (text.length > MAX_CHARS) return null;
	const commands: string[][] = [[]];
	let hasMore = false;
	let expanded = 0;
	let word: string | null = null;
	let quoted = false;
	let depth = 0;
	let isTarget = false;
	// no program was named yet, so assignments count
	let maySet = true;
	const endWord = (): void => {
		if (word === null) return;
		if (isTarget) hasMore ||= !HARMLESS_TARGET.test(word);
		else {
			commands.at(-1)!.push(word);
			const [, name, value] = ASSIGNMENT.exec(word) ?? [];
			if (name && maySet) set.set(name, value!);
			maySet &&= name !== undefined || /^(?:env|export|\{|do|then|else)$/.test(word);
		}
		isTarget = false;
		word = null;
	};
	const endCommand = (): void => {
		endWord();
		commands.push([]);
		maySet = true;
	};
	const add = (more: string): void => {
		word = (word ?? "") + more;
	};
	for (let i = 0; i < text.length; i++) {
		const sign = text[i]!;
		if (sign === "$") {
			EXPANSION.lastIndex = i;
			const [whole = sign, plain, braced, otherwise] = EXPANSION.exec(text) ?? [];
			const value = set.get(plain ?? braced ?? "") ?? otherwise ?? whole;
			i += whole.length - 1;
			hasMore ||= /\$\(|`/.test(whole + (quoted ? text[i + 1] : ""));
			expanded += value.length;
			if (expanded > MAX_EXPANDED) return null;
			for (const [n, part] of (quoted ? [value] : value.split(/[ \t\n]+/)).entries()) {
				if (n > 0) endWord();
				add(part);
			}
		} else if (sign === '"') {
			quoted = !quoted;
			add("");
		} else if (sign === "\\" && (!quoted || /[$`"\\\n]/.test(text[i + 1] ?? ""))) {
			i++;
			if (text[i] !== "\n") add(text[i] ?? "");
		} else if (quoted) {
			hasMore ||= sign === "`";
			add(sign);
		} else if (sign === "'") {
			const end = text.indexOf("'", i + 1);
			add(text.slice(i + 1, end < 0 ? undefined : end));
			i = end < 0 ? text.length : end;
		} else if (sign === " " || sign === "\t") endWord();
		else if (sign === "<" || sign === ">") {
			if (word !== null && !/^\d$/.test(word)) endWord();
			word = null;
			isTarget = true;
			while (/[<>&|]/.test(text[i + 1] ?? "")) i++;
		} else if (sign === "#" && word === null) {
			const end = text.indexOf("\n", i);
			i = end < 0 ? text.length : end - 1;
		} else if (sign === ")" && depth === 0) {
			// the pattern of a case
			word = null;
			commands[commands.length - 1] = [];
			maySet = true;
		} else if ("\n;&|()`".includes(sign)) {
			if (sign === "(") depth++;
			if (sign === ")") depth--;
			endCommand();
		} else add(sign);
	}
	endWord();
	return { commands, hasMore };
}

/** Of a redirection: a descriptor, or what keeps nothing. */
const HARMLESS_TARGET = /^(?:\d+|-|\/dev\/(?:null|stdin|stdout|stderr))$/;

export const ASSIGNMENT = /^([A-Za-z_]\w*)=(.*)$/s;
const EXPANSION = /\$(?:(\w+)|\{(\w+)(?::?-([^{}]*))?\})/y;
