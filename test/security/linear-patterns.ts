/** Finds every regular expression in a module's text, so that none goes unproved (see `linear-patterns.test.ts`). */
export interface Pattern {
	line: number;
	source: string;
	flags: string;
}

/** A slash behind one of these divides. */
const DIVIDES = /[\w$)\]}]$/;
/** Words behind which a slash begins a pattern all the same. */
const KEYWORD = /(?:^|[^\w$.])(?:return|typeof|case|in|of|do|else|void|delete|yield|await)$/;

/**
 * The patterns written as literals, in order, and the lines on which one is put together with `RegExp(`. A scanner of
 * TypeScript's tokens: comments, strings and templates are passed over, code inside a template is not.
 */
export function patternsIn(code: string): { literals: Pattern[]; made: { line: number; text: string }[] } {
	const literals: Pattern[] = [];
	const made: { line: number; text: string }[] = [];
	const templates: number[] = [];
	let depth = 0;
	let before = "";
	let line = 1;
	for (let at = 0; at < code.length; ) {
		const one = code[at]!;
		const two = code.slice(at, at + 2);
		let end = at + 1;
		if (two === "//") end = orEnd(code.indexOf("\n", at), code);
		else if (two === "/*") end = orEnd(code.indexOf("*/", at), code) + 2;
		else if (one === "'" || one === '"') end = stringEnd(code, at, one);
		else if (one === "`" || (one === "}" && templates.at(-1) === depth)) {
			if (one === "}") templates.pop();
			end = at + 1;
			while (end < code.length && code[end] !== "`" && code.slice(end, end + 2) !== "${")
				end += code[end] === "\\" ? 2 : 1;
			if (code[end] === "$") {
				templates.push(depth);
				end += 2;
			} else end++;
		} else if (one === "/" && (!DIVIDES.test(before) || KEYWORD.test(before))) {
			end = patternEnd(code, at);
			const close = code.lastIndexOf("/", end - 1);
			literals.push({ line, source: code.slice(at + 1, close), flags: code.slice(close + 1, end) });
		} else if (one === "{") depth++;
		else if (one === "}") depth--;
		else if (code.startsWith("RegExp(", at)) made.push({ line, text: code.slice(at, code.indexOf("\n", at)) });
		const token = code.slice(at, end);
		const isTalk = two === "//" || two === "/*";
		// only the last few characters tell what a slash is; white space tells nothing
		if (!isTalk && token.trim())
			before = (/\s/.test(code[at - 1] ?? " ") ? `${before} ` : before).slice(-20) + token.slice(-20);
		line += token.split("\n").length - 1;
		at = end;
	}
	return { literals, made };
}

const orEnd = (at: number, code: string): number => (at < 0 ? code.length : at);

function stringEnd(code: string, from: number, quote: string): number {
	let at = from + 1;
	while (at < code.length && code[at] !== quote) at += code[at] === "\\" ? 2 : 1;
	return at + 1;
}

/** Behind the flags. */
function patternEnd(code: string, from: number): number {
	let at = from + 1;
	for (let inClass = false; at < code.length && (inClass || code[at] !== "/"); at += code[at] === "\\" ? 2 : 1)
		if (code[at] === "[") inClass = true;
		else if (code[at] === "]") inClass = false;
	at++;
	while (/[a-z]/.test(code[at] ?? "")) at++;
	return at;
}
