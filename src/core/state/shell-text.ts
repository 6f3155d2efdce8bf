/** Splits a shell text into the commands that it runs, each from its program's name on: without `sudo`, assignments and the like. */
export const splitCommands = (command: string): string[] =>
	withoutQuotedText(command)
		.replaceAll("\\\n", " ")
		.split(/&&|\|\||[;|\n]/)
		.map((part) => part.replace(/\s+/g, " ").trim().replace(COMMAND_PREFIX, ""))
		.filter(Boolean);

/** What may stand before a program's name: words of the grammar, programs that only start another, assignments and options. */
const COMMAND_PREFIX =
	/^(?:(?:time|sudo|npx|bunx|exec|env|nice|command|then|do|else|if|!|\(|\{|-\S+|[A-Za-z_]\w*=\S*|timeout \S+|(?:uv|poetry) run|bundle exec) )+/;

/** The beginning of a command, without its quoted texts and here-documents: commit messages, patterns, files. */
export const withoutQuotedText = (command: string): string =>
	withoutHereDocuments(command.slice(0, 4_000)).replace(QUOTED, "''");
const QUOTED = /'[^']*'|"(?:[^"\\]|\\[\s\S])*"/g;

/** `<<END`, also `<<-` and quoted; not `<<<`, which feeds the word behind it. */
const HERE_DOCUMENT = /(?<!<)<<-?[^\S\n]*(["']?)(\w+)\1/;
/** A command without the lines of its here-documents. */
function withoutHereDocuments(command: string): string {
	let endWord = "";
	const commandLines = command.split("\n").filter((line) => {
		if (!endWord) endWord = HERE_DOCUMENT.exec(line)?.[2] ?? "";
		else if (line.trim() === endWord) endWord = "";
		else return false;
		return true;
	});
	return commandLines.join("\n");
}
