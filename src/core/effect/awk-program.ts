/**
 * Whether an awk program only prints. False where it writes a file (`print > …`), runs a command (`system`, a pipe), reads
 * by `getline`, or where it can't be told what is text and what is program.
 */
export function isPrintingAwk(program: string): boolean {
	// anywhere, also within text: the rule is easy to keep to
	if (program.length > 4_096 || /system|getline|@|\|&/.test(program)) return false;
	let isPrint = false;
	/** The last sign, blanks aside: says whether a slash divides. */
	let last = "";
	for (let at = 0; at < program.length; ) {
		const char = program[at]!;
		if (char === '"') {
			const end = endOf(program, at, '"');
			if (end < 0) return false;
			at = end + 1;
			last = '"';
		} else if (char === "/") {
			// behind `++`, `)` and such it may be either
			if (/[+$-]/.test(last) || (last === ")" && /["/]/.test(program.slice(at + 1)))) return false;
			if (/[\w)\]".]/.test(last)) {
				at++;
				last = "/";
				continue;
			}
			const end = endOf(program, at, "/");
			if (end < 0) return false;
			at = end + 1;
			last = '"';
		} else if (char === "#") {
			while (at < program.length && program[at] !== "\n") at++;
		} else if (char === "\\") {
			if (program[at + 1] !== "\n") return false;
			at += 2;
		} else if (char === "|") {
			if (program[at + 1] !== "|") return false;
			at += 2;
			last = "|";
		} else if (char === ">") {
			if (isPrint) return false;
			at++;
			last = ">";
		} else {
			const word = /^[A-Za-z_]\w*/.exec(program.slice(at, at + 64))?.[0];
			if (word) {
				if (word === "length" && /^\s*\//.test(program.slice(at + 6, at + 64))) return false;
				if (/^printf?$/.test(word)) isPrint = true;
				// a keyword before a slash begins a pattern
				last = /^(?:return|in|print|printf|case|else|do|exit)$/.test(word) ? ";" : "w";
				at += word.length;
				continue;
			}
			// a line goes on behind a comma and `&&`
			const isEnd = char === "\n" && !/[,&|]/.test(last);
			if (isEnd || /[;{}]/.test(char)) isPrint = false;
			if (isEnd) last = ";";
			else if (!/\s/.test(char)) last = char;
			at++;
		}
	}
	return true;
}

/** Where a text or a pattern ends; -1 where the line or the program ends first. */
function endOf(program: string, start: number, end: string): number {
	for (let at = start + 1; at < program.length; at++) {
		const char = program[at]!;
		if (char === "\\") at++;
		else if (char === "\n") return -1;
		// in a list of signs some versions end the pattern and some do not
		else if (char === "[" && end === "/") {
			const close = program.indexOf("]", at + 2);
			if (close < 0 || program.slice(at, close).includes("/")) return -1;
			at = close;
		} else if (char === end) return at;
	}
	return -1;
}
