/**
 * The simple commands of a shell text, as their words without quotes: split as sh splits them, so far as that can be done without
 * running it. `set` holds the variables that are known, and takes in what the text sets. Linear; what it can't follow stays as it
 * is written.
 */
export function commandsIn(text: string, set: Map<string, string>): string[][] {
	const commands: string[][] = [[]];
	let word: string | null = null;
	let quoted = false;
	let depth = 0;
	let isTarget = false;
	const endWord = (): void => {
		const command = commands.at(-1)!;
		if (word !== null && !isTarget) command.push(word);
		const [, name, value] = (!isTarget && word !== null && ASSIGNMENT.exec(word)) || [];
		if (name && command.every((one) => ASSIGNMENT.test(one) || /^(?:env|export|\{|do|then|else)$/.test(one)))
			set.set(name, value!);
		if (word !== null) isTarget = false;
		word = null;
	};
	const endCommand = (): void => {
		endWord();
		commands.push([]);
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
		} else if (quoted) add(sign);
		else if (sign === "'") {
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
		} else if ("\n;&|()`".includes(sign)) {
			if (sign === "(") depth++;
			if (sign === ")") depth--;
			endCommand();
		} else add(sign);
	}
	endWord();
	return commands;
}

export const ASSIGNMENT = /^([A-Za-z_]\w*)=(.*)$/s;
const EXPANSION = /\$(?:(\w+)|\{(\w+)(?::?-([^{}]*))?\})/y;
