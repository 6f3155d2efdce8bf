import { looksRandom } from "./random-looking.ts";
import type { Style } from "./secret-values.ts";

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

const OPENING = new RegExp(QUOTE, "y");
/** What may stand between a sign and a value: emphasis, colours, brackets, a literal's prefix, a call that only wraps it. */
const BEFORE = new RegExp(
	`(?:[ \\t]{1,8}|\\*\\*|__|${COLOUR}|[bBfFrRuUNL@$&]{1,2}(?=["'])|[(\\[{]{1,2}[ \\t]{0,3}(?=${QUOTE})|(?:new )?(?:[\\w\\]\\[]{1,20}(?:\\.|::)){0,3}(?:Secret(?:Str|String)?|SecureString|ConvertTo-SecureString|NetworkCredential|Password|from(?:_str|String)?|bytes?|String|str|Some|of|valueOf|pack|md5|sha\\d{1,3}|crypt|hash|b64decode|atob|unsafe|literal)[ (][ \\t]{0,3}(?:-String )?(?=${QUOTE})){0,4}`,
	"y",
);
const BARE = /(?:[^\s"'`\\,;&|()<>{}]|\\(?![nrt"'`]))+/y;
/** To the end of its line, as in YAML and ini files; not in code, where a comma, semicolon or bracket ends the line. */
const LINE = /[^\s"'`\\]{0,256}[^\s"'`\\,;)\]}](?=[ \t]*(?:\r?\n|$|\\[nr]| #))/y;
/** Only indentation, a list dash, a line's number and the rest of the name stand before it in its line. */
const LINE_HEAD =
	/^(?:[ \t]{0,6}\d{1,6}[→\t:|-])?[+-]?[ \t>|]*(?:(?:export|set|setx|env|ENV|ARG|let|local|declare|readonly)(?: -\w+)? |- |\d{1,6}[→\t:|] ?)?[\w.\- /:@]{0,60}$/;
const WRAPPED = /\{(?:[^{}\s"'`,:()]|\}\}){5,100}\}(?=[;"'\s]|$)/y;
const SHELL = /(?:[^\s"'`\\]|\\(?![nrt"'`]))+/y;
const QUERY = /[^\s"'`\\<>&#)\]}|;,]+/y;
const ENCODED = /(?:[\w.~!*+@$-]|%(?!2[0267CcBb]|0[AaDd]|3[BbCcEe]|7[CcDd]|5[DdCc])[0-9A-Fa-f]{2})+/y;
/** `|` or `>` and the lines below it. */
const BLOCK = /[|>][+-]?\d?[ \t]*(?:\r?\n)/y;
const NEXT_LINE = /[ \t\\]*\r?\n(?:[ \t]*\r?\n)?(?:[ \t]*\d{1,6}[→\t:|])?[+ \t>|]*(?:`{3,}\w*\r?\n[ \t]*)?/y;
const TO_LINE_END = /[^\s]{5,256}(?=[ \t]*(?:\r?\n|$))/y;

/** Where a value begins behind a sign. */
export const valueStart = (text: string, at: number): number => matchEnd(BEFORE, text, at) ?? at;

/** A quoted value at `at`; `null` where no quote stands or it never closes. */
export function quotedAt(text: string, at: number): Value | null {
	const quote = matchAt(OPENING, text, at);
	if (!quote) return null;
	const last = quote.at(-1)!;
	const depth = quote.length - 1;
	const isPlain = "\"'`".includes(last);
	const triple = isPlain && depth === 0 && text.startsWith(last + last, at + 1) && text[at + 3] !== undefined;
	const mark = triple ? last.repeat(3) : isPlain ? last : quote;
	const start = at + (triple ? 3 : quote.length);
	// a block of code in Markdown
	if (triple && last === "`") return null;
	const limit = Math.min(text.length, start + MAX_QUOTED);
	for (let end = text.indexOf(mark, start); end >= 0 && end < limit; end = text.indexOf(mark, end + 1)) {
		let slashes = 0;
		while (end - slashes > start && text[end - slashes - 1] === "\\") slashes++;
		if (isPlain && (depth === 0 ? slashes % 2 === 1 : slashes > depth)) continue;
		const value = text.slice(start, depth > 0 && isPlain ? end - Math.min(slashes, depth) : end);
		// a line's end is the end of what was cut off, but for keys and documents
		const line = triple ? -1 : value.indexOf("\n");
		if (line >= 0 && !isWrapped(value)) return null;
		const style = last === "`" ? "backtick" : "quoted";
		return { start, end: start + value.length, text: value, style };
	}
	return null;
}

/** Lines of one long value: letters and digits to the very end of each. */
const isWrapped = (value: string): boolean => /^[\w+/=.\s\\-]{40,}$/.test(value) && !/[^\s] [^\s]/.test(value);

/** A value without quotes, or behind a quote that is never closed (cut text). `sign` is what stands before it, `name` what it is given to. */
export function bareAt(text: string, from: number, at: number, sign: string, isCapital: boolean): Value | null {
	const quote = matchAt(OPENING, text, at);
	const start = at + (quote?.length ?? 0);
	const value = (pattern: RegExp, style: Style): Value | null => {
		const found = matchAt(pattern, text, start);
		return found === null ? null : { start, end: start + found.length, text: found, style };
	};
	if (sign.startsWith("%")) return value(ENCODED, "shell");
	let before = from;
	while (before > 0 && from - before < 40 && IN_QUERY.test(text[before - 1]!)) before--;
	if (sign === "=" && "?&".includes(text[before - 1] ?? " ")) return value(QUERY, "shell");
	if (sign === "=" && isCapital) return value(SHELL, "shell");
	// `Pwd={…}` of a connection string, `TOKEN={…}` of a shell
	const wrapped = quote ? null : value(WRAPPED, "sole");
	if (wrapped) return wrapped;
	if (!quote && LINE_HEAD.test(headOf(text, from))) {
		const line = value(LINE, "line");
		if (line) return line;
	}
	return value(BARE, text.startsWith("--", before - 2) || text.startsWith("--", before) ? "sole" : "bare");
}
const IN_QUERY = /[\w.[\]-]/;

/** What stands before a name in its line, from a line's end (also an escaped one) on; without one in reach nothing fits. */
function headOf(text: string, from: number): string {
	const least = Math.max(0, from - 80);
	let at = from;
	while (
		at > least &&
		text.charCodeAt(at - 1) !== 10 &&
		!(text.charCodeAt(at - 1) === 110 && text.charCodeAt(at - 2) === 92)
	)
		at--;
	return at === 0 || at > least ? text.slice(at, from) : ">>>=";
}

/** A YAML block below its name, or a value alone in the next line. */
export function belowAt(text: string, nameStart: number, at: number): Value | null {
	const opened = matchEnd(BLOCK, text, at);
	if (opened !== null) return blockAt(text, nameStart, opened);
	const start = matchEnd(NEXT_LINE, text, at);
	if (start === null) return null;
	const quoted = quotedAt(text, start);
	if (quoted) return { ...quoted, style: "prose" };
	const found = matchAt(TO_LINE_END, text, start);
	return found === null || /[:=]$/.test(found)
		? null
		: { start, end: start + found.length, text: found, style: "prose" };
}

const MAX_BLOCK = 200;

function blockAt(text: string, nameStart: number, opened: number): Value | null {
	const least = Math.max(0, nameStart - 200);
	const indent = indentOf(text, least + text.slice(least, nameStart).lastIndexOf("\n") + 1);
	let start = -1;
	let end = opened;
	for (let n = 0; n < MAX_BLOCK && end < text.length; n++) {
		const lineEnd = text.indexOf("\n", end) < 0 ? text.length : text.indexOf("\n", end);
		const line = text.slice(end, Math.min(lineEnd, end + 400));
		if (line.trim() && indentOf(text, end) <= indent) break;
		if (start < 0 && line.trim()) start = end + indentOf(text, end);
		end = lineEnd + 1;
	}
	if (start < 0) return null;
	const value = text.slice(start, Math.min(end - 1, text.length)).trimEnd();
	return { start, end: start + value.length, text: value, style: "quoted" };
}

/** How far a line is indented, its number or mark of a diff included. */
function indentOf(text: string, at: number): number {
	return matchAt(INDENT, text, at)?.length ?? 0;
}
const INDENT = /(?:[ \t]{0,6}\d{1,6}[→\t:|])?[+-]?[ \t]*(?:- )?/y;

/** Where a value that fills its line goes on in the next ones, as terminals and e-mail wrap it. */
export function wrappedEnd(text: string, start: number, end: number): number {
	let at = end;
	for (let n = 0; n < 60; n++) {
		if (!LINE_ENDS.includes(text[at] ?? " ")) return at;
		const line = text.slice(start, at);
		if (line.length - (line.lastIndexOf("\n") + 1) < 24) return at;
		const next = matchAt(CONTINUED, text, at);
		if (next === null) return at;
		const part = next.replace(/^.*\n[ \t]*(?:\d{1,6}[→\t:|])?[+>| \t]*/s, "");
		if (
			!(
				looksRandom(part, 16) ||
				(/\d/.test(part) && /[A-Za-z]/.test(part) && /[A-Z]/.test(part)) ||
				/={1,2}$/.test(part)
			)
		)
			return at;
		at += next.length;
	}
	return at;
}
const LINE_ENDS = "\n\r\\";
const CONTINUED =
	/\\?\r?\n[ \t]{0,40}(?:\d{1,6}[→\t:|])?[+>| \t]{0,10}[A-Za-z0-9+/=_.-]{6,}(?=[ \t"'`,;)]*(?:\\?\r?\n|$))/y;

export function matchAt(pattern: RegExp, text: string, at: number): string | null {
	pattern.lastIndex = at;
	return pattern.exec(text)?.[0] ?? null;
}

export function matchEnd(pattern: RegExp, text: string, at: number): number | null {
	pattern.lastIndex = at;
	return pattern.test(text) ? pattern.lastIndex : null;
}
