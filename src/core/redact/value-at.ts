import { stickyMatch } from "./ranges.ts";
import type { Style } from "./secret-values.ts";
import { looksRandom } from "./shape.ts";

/** A value found in a text: where it stands and how. */
export interface Value {
	start: number;
	end: number;
	text: string;
	style: Style;
}

const MAX_QUOTED = 4096;
const ESC = String.fromCharCode(27);

/** A terminal colour, as a byte or written out in JSON or a shell. */
export const COLOUR = `(?:(?:${ESC}|\\\\{1,4}(?:u001b|x1b|033|e))\\[[0-9;]{0,12}m)`;
/** A quote as it stands in a text, in JSON inside JSON, in HTML and in a URL. */
export const QUOTE = "(?:\\\\{0,15}[\"'`]|&quot;|&#0?39;|%2[27])";

const OPENING_QUOTE = new RegExp(QUOTE, "y");
/** The quoted value that begins at `at`; `null` where no quote stands there, or it never closes. */
export function quotedValueAt(text: string, at: number): Value | null {
	const quote = stickyMatch(OPENING_QUOTE, text, at)?.[0];
	if (!quote) return null;
	const quoteSign = quote.at(-1)!;
	const depth = quote.length - 1; // backslashes before it, as in JSON inside JSON
	const isAsciiQuote = "\"'`".includes(quoteSign);
	const isTriple =
		isAsciiQuote && depth === 0 && text.startsWith(quoteSign + quoteSign, at + 1) && text[at + 3] !== undefined;
	// a block of code in Markdown
	if (isTriple && quoteSign === "`") return null;
	const closing = isTriple ? quoteSign.repeat(3) : isAsciiQuote ? quoteSign : quote;
	const start = at + (isTriple ? 3 : quote.length);
	const limit = Math.min(text.length, start + MAX_QUOTED);
	for (let end = text.indexOf(closing, start); end >= 0 && end < limit; end = text.indexOf(closing, end + 1)) {
		let slashes = 0;
		while (end - slashes > start && text[end - slashes - 1] === "\\") slashes++;
		if (isAsciiQuote && (depth === 0 ? slashes % 2 === 1 : slashes > depth)) continue;
		const value = text.slice(start, depth > 0 && isAsciiQuote ? end - Math.min(slashes, depth) : end);
		// more than one line: only a key or encoded data may go on so
		if (!isTriple && value.includes("\n") && !/^(?!.*[^\s] [^\s])[\w+/=.\s\\-]{40,}$/s.test(value)) return null;
		return { start, end: start + value.length, text: value, style: quoteSign === "`" ? "bare" : "quoted" };
	}
	return null;
}

/** The end of a value that fills its line and goes on in the next lines, as terminals and e-mail wrap it; `end` where it does not. */
export function endOfWrappedValue(text: string, start: number, end: number): number {
	let at = end;
	for (let n = 0; n < 400 && "\n\r\\".includes(text[at] ?? " "); n++) {
		const line = text.slice(Math.max(start, at - 24), at);
		if (line.length < 24 || line.includes("\n")) return at;
		const next = stickyMatch(CONTINUED_LINE, text, at);
		if (next === null) return at;
		const part = next[1]!;
		if (!looksRandom(part, 16) && !/^(?=.*\d)(?=.*[a-z]).*[A-Z]|={1,2}$/.test(part)) return at;
		at += next[0].length;
	}
	return at;
}
const CONTINUED_LINE =
	/\\?\r?\n[ \t]{0,40}(?:\d{1,6}[→\t:|])?[+>| \t]{0,10}([A-Za-z0-9+/=_.-]{6,})(?=[ \t"'`,;)]*(?:\\?\r?\n|$))/y;
