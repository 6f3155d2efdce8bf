/** A part of a shell command that runs one program. */
export interface Part {
	/** As it is written, on one line. */
	text: string;
	/** From its program on: without assignments, programs that only start another, and options of git before what it does. */
	run: string;
	/** The exit code is this part's: nothing stands behind it. */
	isEnd: boolean;
	/** It went well where the command did: what stands behind it is run only then. */
	isNeeded: boolean;
}

/** The parts of a command, without what it quotes and feeds. What is longer than 64,000 characters is not looked at. */
export function partsOf(command: string): Part[] {
	const bare = withoutQuotes(command.slice(0, MAX_COMMAND)).replaceAll("\\\n", " ");
	const pieces = bare.split(/(&&|\|\||[;|\n])/);
	while (pieces.length > 1 && !pieces.at(-1)!.trim()) pieces.length -= 2;
	const lastOther = pieces.findLastIndex((piece, at) => at % 2 === 1 && piece !== "&&");
	return pieces.flatMap((piece, at) => {
		const text = piece.replace(/\s+/g, " ").trim();
		if (at % 2 === 1 || !text) return [];
		return [{ text, run: programIn(text), isEnd: at === pieces.length - 1, isNeeded: at > lastOther }];
	});
}

export const MAX_COMMAND = 64 * 1024;
const MAX_PREFIXES = 12;
const PREFIX =
	/^(?:[A-Za-z_]\w*=\S*|time|sudo|npx|bunx|exec|env|nice|command|then|do|else|if|!|\(|\{|timeout \S+|(?:uv|poetry|pipenv|rye) run|bundle exec|(?:pnpm|yarn|npm) exec|docker(?:-| )compose (?:exec|run)(?: -\S+)* \S+|-\S+) /;
const GIT_OPTION = /^git (?:-[Cc] \S+|--no-pager|--git-dir\S*|--work-tree\S*) /;

function programIn(text: string): string {
	let run = text;
	for (let n = 0; n < MAX_PREFIXES && PREFIX.test(run); n++) run = run.replace(PREFIX, "");
	for (let n = 0; n < MAX_PREFIXES && GIT_OPTION.test(run); n++) run = run.replace(GIT_OPTION, "git ");
	return run;
}

/**
 * A command without what it quotes and feeds: messages, patterns, documents; `quoted` leaves the quoted. One pass from left to
 * right: a quote or a document without its end is looked for once.
 */
export function withoutQuotes(command: string, quoted = false): string {
	const fed = withoutDocuments(command);
	return quoted ? fed : withoutQuoted(fed);
}

/** `<<END`, also `<<-` and quoted; not `<<<`, which feeds the word behind it. */
const OPENS = /<<-?[^\S\n]*(?:"(\w+)"|'(\w+)'|(\w+))/y;

function withoutDocuments(command: string): string {
	if (!command.includes("<<")) return command;
	const kept: string[] = [];
	let from = 0;
	for (let at = command.indexOf("<<"); at >= 0; at = command.indexOf("<<", at)) {
		OPENS.lastIndex = at;
		const found = OPENS.exec(command);
		const feed = found ? command.indexOf("\n", OPENS.lastIndex) : -1;
		// nothing is fed on the last line, nor by what stands behind
		if (found && feed < 0) break;
		if (!found) {
			while (command[at] === "<") at++;
			continue;
		}
		kept.push(command.slice(from, at), " ");
		from = at = documentEnd(command, feed + 1, (found[1] ?? found[2] ?? found[3])!);
	}
	return kept.join("") + command.slice(from);
}

/** Behind the word on a line of its own; the command's end when there is none. */
function documentEnd(command: string, from: number, word: string): number {
	for (let at = from; at < command.length; ) {
		const feed = command.indexOf("\n", at);
		const end = feed < 0 ? command.length : feed;
		let ink = at;
		while (ink < end && (command[ink] === " " || command[ink] === "\t")) ink++;
		if (command.startsWith(word, ink) && !IN_WORD.test(command[ink + word.length] ?? "")) return ink + word.length;
		at = end + 1;
	}
	return command.length;
}

const IN_WORD = /\w/;

function withoutQuoted(text: string): string {
	const kept: string[] = [];
	let from = 0;
	for (let at = 0; at < text.length; at++) {
		const mark = text[at];
		if (mark !== "'" && mark !== '"') continue;
		const end = mark === "'" ? text.indexOf("'", at + 1) : doubleEnd(text, at + 1);
		// one without its end quotes nothing, and neither do those behind it
		if (end < 0) break;
		kept.push(text.slice(from, at), "''");
		from = end + 1;
		at = end;
	}
	return kept.join("") + text.slice(from);
}

function doubleEnd(text: string, from: number): number {
	for (let at = from; at < text.length; at++) {
		if (text[at] === '"') return at;
		if (text[at] === "\\") at++;
	}
	return -1;
}
