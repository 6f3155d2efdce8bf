/**
 * The simple commands of a shell text, each as its words without their quotes; `null` when the text does anything this
 * can't follow: substitution, redirection into a file, background, assignments, blocks, unquoted here-documents.
 */
export function simpleCommands(text: string): string[][] | null {
	// a continued line may part a `$` from what it begins
	if (/\$\\\n/.test(text)) return null;
	let body = text;
	const commands: string[][] = [];
	let words: string[] = [];
	let word: string | null = null;
	const endWord = (): void => {
		if (word !== null) words.push(word);
		word = null;
	};
	const endCommand = (): void => {
		endWord();
		if (words.length > 0) commands.push(words);
		words = [];
	};
	for (let i = 0; i < body.length; ) {
		const rest = body.slice(i);
		const quiet = /^(?:2>&1|[12]?>\s*\/dev\/null)(?=[\s;|&]|$)/.exec(rest);
		const char = body[i]!;
		// only here, outside of quotes: elsewhere the sign is text and the lines behind it are commands
		if (rest.startsWith("<<")) {
			const without = withoutHereDocument(rest);
			if (without === null) return null;
			endWord();
			body = body.slice(0, i) + without;
			continue;
		}
		// a number before the sign belongs to it only where a word begins
		if (quiet && (word === null || char === ">")) {
			i += quiet[0].length;
		} else if (char === "'") {
			const end = body.indexOf("'", i + 1);
			if (end < 0) return null;
			word = (word ?? "") + body.slice(i + 1, end);
			i = end + 1;
		} else if (char === '"') {
			const quoted = /^"((?:[^"\\`$]|\\[\s\S]|\$(?![({[]))*)"/.exec(rest);
			if (!quoted) return null;
			word = (word ?? "") + quoted[1]!.replace(/\\(["\\$`])/g, "$1");
			i += quoted[0].length;
		} else if (char === "\\") {
			if (body[i + 1] === undefined) return null;
			if (body[i + 1] !== "\n") word = (word ?? "") + body[i + 1];
			i += 2;
		} else if (/^(?:&&|\|\|)/.test(rest)) {
			endCommand();
			i += 2;
		} else if (char === ";" || char === "|" || char === "\n") {
			if (rest.startsWith("|&")) return null;
			endCommand();
			i++;
		} else if (char === " " || char === "\t") {
			endWord();
			i++;
		} else if ("`<>&(){}!#".includes(char) || (char === "$" && /^\$[({['"]/.test(rest))) {
			return null;
		} else {
			word = (word ?? "") + char;
			i++;
		}
	}
	endCommand();
	// an assignment may change what the words behind it mean
	return commands.length > 0 && commands.every(([first]) => !first!.includes("=")) ? commands : null;
}

/** A here-document with a quoted end mark is plain data for the command before it: the text behind its sign without it, `null` where its end can't be told. */
function withoutHereDocument(text: string): string | null {
	// a mark that goes on behind its quotes is another mark
	const sign = /^<<(-?)[ \t]*(?:'(\w+)'|"(\w+)")(?=[\s;|&]|$)/.exec(text);
	if (!sign) return null;
	const mark = sign[2] ?? sign[3]!;
	const lineEnd = text.indexOf("\n", sign[0].length);
	if (lineEnd < 0) return null;
	const before = text.slice(sign[0].length, lineEnd);
	// the document begins behind a line that ends its quotes; a second one on it would come first
	if (/['"\\]|<</.test(before)) return null;
	for (let at = lineEnd + 1; at <= text.length; ) {
		const next = text.indexOf("\n", at);
		const line = text.slice(at, next < 0 ? text.length : next);
		if ((sign[1] ? line.replace(/^\t+/, "") : line) === mark)
			return `${before}\n${next < 0 ? "" : text.slice(next + 1)}`;
		if (next < 0) return null;
		at = next + 1;
	}
	return null;
}
