/** The commands that a shell text runs, each from its program's name on: without `sudo`, assignments and the like. */
export const runsIn = (command: string): string[] =>
	withoutQuotes(command)
		.replaceAll("\\\n", " ")
		.split(/&&|\|\||[;|\n]/)
		.map((piece) => piece.replace(/\s+/g, " ").trim().replace(LEAD, ""))
		.filter(Boolean);

/** What may stand before a program's name: words of the grammar, programs that only start another, assignments and options. */
const LEAD =
	/^(?:(?:time|sudo|npx|bunx|exec|env|nice|command|then|do|else|if|!|\(|\{|-\S+|[A-Za-z_]\w*=\S*|timeout \S+|(?:uv|poetry) run|bundle exec) )+/;

/** The beginning of a command, without its quoted texts and here-documents: commit messages, patterns, files. */
export const withoutQuotes = (command: string): string =>
	withoutDocuments(command.slice(0, 4_000)).replace(QUOTED, "''");
const QUOTED = /'[^']*'|"(?:[^"\\]|\\[\s\S])*"/g;

/** `<<END`, also `<<-` and quoted; not `<<<`, which feeds the word behind it. */
const DOCUMENT = /(?<!<)<<-?[^\S\n]*(["']?)(\w+)\1/;
/** A command without the lines of its here-documents. */
function withoutDocuments(command: string): string {
	let end = "";
	const commandLines = command.split("\n").filter((line) => {
		if (!end) end = DOCUMENT.exec(line)?.[2] ?? "";
		else if (line.trim() === end) end = "";
		else return false;
		return true;
	});
	return commandLines.join("\n");
}
