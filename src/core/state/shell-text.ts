/**
 * What a command runs, each from its program on: without what it quotes and feeds, assignments, programs that only start another, and
 * options of git before what it does. What is longer than 64,000 characters is not looked at.
 */
export function runsIn(command: string): string[] {
	const bare = withoutQuotes(command.slice(0, MAX_COMMAND)).replaceAll("\\\n", " ");
	return bare.split(/&&|\|\||[;|\n]/).flatMap((piece) => {
		const text = piece.replace(/\s+/g, " ").trim();
		return text ? [withoutLead(text)] : [];
	});
}

const MAX_COMMAND = 64 * 1024;
const MAX_PREFIXES = 12;
/** What may stand before a program: words of the grammar, programs that only start another, assignments and options. */
const STARTERS = "time sudo npx bunx exec env nice command then do else if ! ( {".split(" ");
const PREFIX =
	/^(?:[A-Za-z_]\w*=\S*|timeout \S+|(?:uv|poetry|pipenv|rye) run|bundle exec|(?:pnpm|yarn|npm) exec|docker(?:-| )compose (?:exec|run)(?: -\S+)* \S+|-\S+) /;
const GIT_OPTION = /^git (?:-[Cc] \S+|--no-pager|--git-dir\S*|--work-tree\S*) /;

function withoutLead(text: string): string {
	let run = text;
	for (let n = 0; n < MAX_PREFIXES; n++) {
		const starter = STARTERS.find((word) => run.startsWith(`${word} `));
		if (!starter && !PREFIX.test(run)) break;
		run = starter ? run.slice(starter.length + 1) : run.replace(PREFIX, "");
	}
	for (let n = 0; n < MAX_PREFIXES && GIT_OPTION.test(run); n++) run = run.replace(GIT_OPTION, "git ");
	return run;
}

/** A command without what it quotes and feeds: messages, patterns, documents. A quote without its end quotes nothing, nor do those behind it. */
export const withoutQuotes = (command: string): string =>
	withoutDocuments(command).replace(QUOTED, (quoted, open = "") => (open ? quoted : "''"));
const QUOTED = /'[^']*'|"(?:[^"\\]|\\[\s\S])*"|(['"])[\s\S]*/g;

/** `<<END`, also `<<-` and quoted; not `<<<`, which feeds the word behind it. */
const DOCUMENT = /(?<!<)<<-?[^\S\n]*(["']?)(\w+)\1/;

/** A command without its documents; what stands behind their signs in the same line goes with them. */
export function withoutDocuments(command: string): string {
	const lines = command.split("\n");
	let kept = "";
	let feed = "";
	for (let at = 0; at < lines.length; at++) {
		const line = lines[at]!;
		// on the last line nothing is fed
		const found = at < lines.length - 1 ? DOCUMENT.exec(line) : null;
		kept += feed + (found ? `${line.slice(0, found.index)} ` : line);
		feed = found ? "" : "\n";
		if (!found) continue;
		let rest: string | null;
		do rest = behind(found[2]!, lines[++at]!);
		while (rest === null && at < lines.length - 1);
		// another may begin behind its end
		lines[at--] = rest ?? "";
	}
	return kept;
}

function behind(word: string, line: string): string | null {
	const text = line.trimStart();
	return text.startsWith(word) && !/^\w/.test(text.slice(word.length)) ? text.slice(word.length) : null;
}
