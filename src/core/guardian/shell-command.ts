/**
 * The simple commands of a shell text, each as its words without their quotes; `null` when the text does anything this
 * can't follow: substitution, redirection into a file, background, assignments, blocks, unquoted here-documents.
 */
export function simpleCommands(text: string): string[][] | null {
	const body = withoutHereDocument(text);
	if (body === null) return null;
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
		// a number before the sign belongs to it only where a word begins
		if (quiet && (word === null || char === ">")) {
			i += quiet[0].length;
		} else if (char === "'") {
			const end = body.indexOf("'", i + 1);
			if (end < 0) return null;
			word = (word ?? "") + body.slice(i + 1, end);
			i = end + 1;
		} else if (char === '"') {
			const quoted = /^"((?:[^"\\`$]|\\[\s\S]|\$(?![({]))*)"/.exec(rest);
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
		} else if ("`<>&(){}!#".includes(char) || (char === "$" && /^\$[({'"]/.test(rest))) {
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

/** One here-document with a quoted end mark is plain data for the command before it; the text without it. */
function withoutHereDocument(text: string): string | null {
	const start = /<<-?[ \t]*(?:'(\w+)'|"(\w+)")/.exec(text);
	if (!start) return text;
	const mark = start[1] ?? start[2]!;
	const lineEnd = text.indexOf("\n", start.index);
	if (lineEnd < 0) return null;
	const end = new RegExp(`^\\t*${mark}$`, "m").exec(text.slice(lineEnd + 1));
	if (!end) return null;
	// what stands in the document may look like the start of another one: it must be the first and only sign
	const before = text.slice(0, start.index) + text.slice(start.index + start[0].length, lineEnd);
	return `${before}\n${text.slice(lineEnd + 1 + end.index + end[0].length)}`;
}
