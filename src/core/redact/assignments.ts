import { isMarker, isReference, marker } from "./marker.ts";

/**
 * Assignments to a name that ends like a secret's: `DB_PASSWORD=…`, `"apiKey": "…"`, `token = '…'`, also in JSON inside JSON.
 * The name stays, the value goes. Values shorter than 8 characters, references, placeholders, paths, calls and code stay.
 *
 * Linear: a name costs one look at its value; an unquoted value is looked at for `LOOK` characters, and a longer one is
 * taken whole, so nothing is read twice without bound.
 */
export function redactAssignments(text: string): string {
	return NAME_HINT.test(text) ? redactFlags(redactNames(text)) : text;
}

/** `--token VALUE`: as a word follows such a flag in prose, only what has a digit. */
function redactFlags(text: string): string {
	return text.replace(FLAG, (whole, flag: string, value: string) =>
		/\d/.test(value) && !isMarker(value) && !isReference(value) && !LOCATION.test(value)
			? flag + marker("secret")
			: whole,
	);
}

function redactNames(text: string): string {
	let result = "";
	let done = 0;
	NAME.lastIndex = 0;
	for (let name = NAME.exec(text); name; name = NAME.exec(text)) {
		const at = NAME.lastIndex;
		const value = quotedValue(text, at) ?? bareValue(text, at, name);
		if (!value || !isSecret(value, text[value.end] ?? "")) continue;
		result += text.slice(done, value.start) + marker("secret");
		done = value.end;
		NAME.lastIndex = value.end;
	}
	return done === 0 ? text : result + text.slice(done);
}

type Style = "quoted" | "backtick" | "shell" | "line" | "bare";

interface Value {
	start: number;
	end: number;
	text: string;
	style: Style;
}

const MIN = 8;
const LOOK = 256;
const MAX_QUOTED = 4096;

const WORDS =
	"passw(?:or)?d|passphrase|pwd|secret|token|(?:api|private|access|secret|account|encryption|signing|master)[_-]?key";
const NAME_HINT = new RegExp(WORDS, "i");
const NAME = new RegExp(
	`(${WORDS})(\\\\?["'\`])?([ \\t]{0,8})(:=|=>(?=[ \\t]{0,8}\\\\?["'\`])|[:=])(?![=:>])([ \\t]{0,8})`,
	"gi",
);
const FLAG = new RegExp(
	`(--[a-z-]{0,20}(?:${WORDS})[ \\t]{1,4}\\\\?["']?)([^\\s"'\`$<{(\\\\-][^\\s"'\`\\\\]{7,})`,
	"gi",
);
const OPENING = /\\?["'`]/y;
const BARE = /(?:[^\s"'`\\,;&|()<>{}]|\\(?![nrt"'`]))+/y;
/** To the end of its line, as in YAML and ini files; not in code, where a comma, semicolon or bracket ends the line. */
const LINE = /[^\s"'`\\]{0,256}[^\s"'`\\,;)\]}](?=[ \t]*(?:\r?\n|$|\\[nr]))/y;
/** Only indentation, a list dash and the rest of the name stand before it in its line. */
const LINE_HEAD = /(?:^|\n|\\n)[ \t]*(?:- )?[\w.-]*$/;
const FLAG_HEAD = /--[\w-]*$/;
const SHELL = /(?:[^\s"'`\\]|\\(?![nrt"'`]))+/y;

function quotedValue(text: string, at: number): Value | null {
	const quote = matchAt(OPENING, text, at);
	if (!quote) return null;
	const start = at + quote.length;
	const limit = Math.min(text.length, start + MAX_QUOTED);
	for (let end = start; end < limit && text[end] !== "\n"; end++) {
		if (text.startsWith(quote, end))
			return { start, end, text: text.slice(start, end), style: quote === "`" ? "backtick" : "quoted" };
		if (text[end] === "\\") end++;
	}
	return null;
}

/** A value without quotes, or behind a quote that is never closed (cut text). */
function bareValue(text: string, at: number, [whole, word, quote, before, sign, after]: RegExpExecArray): Value | null {
	const start = at + (matchAt(OPENING, text, at)?.length ?? 0);
	const value = (pattern: RegExp, style: Style): Value | null => {
		const found = matchAt(pattern, text, start);
		return found === null ? null : { start, end: start + found.length, text: found, style };
	};
	if (sign === "=" && before === "" && after === "" && word === word!.toUpperCase()) return value(SHELL, "shell");
	const head = text.slice(Math.max(0, at - whole!.length - 80), at - whole!.length);
	if (!quote && LINE_HEAD.test(head)) {
		const line = value(LINE, "line");
		if (line) return line;
	}
	return value(BARE, FLAG_HEAD.test(head) ? "line" : "bare");
}

function isSecret({ text, style }: Value, next: string): boolean {
	if (text.length < MIN || isMarker(text)) return false;
	if (text.length > LOOK) return true;
	if (isReference(text) || NO_SECRET.test(text) || LOCATION.test(text)) return false;
	if (style === "quoted") return !text.includes("${") && !text.includes("{{");
	if (CODE.test(text)) return false;
	if (style === "shell") return true;
	if (style === "backtick") return /\d/.test(text) && !/[\s(]/.test(text);
	if (next !== "" && "(<{[".includes(next)) return false;
	if (/^[\d._:/-]+$/.test(text) || isMemberPath(text)) return false;
	if (/\d/.test(text) || /^[\w-].*[!@#%^$~]/.test(text)) return true;
	return style === "line" && /^[a-z]+$/.test(text);
}

/** Type names and words that stand behind such names in code and descriptions. */
const NO_SECRET =
	/^(?:required|optional|password|undefined|function|disabled|enabled|redacted|unknown|(?:Big)?(?:Uint|Int|Float)\d+(?:Clamped)?Array|base64(?:url)?)[.;,]*$/i;
const LOCATION = /^(?:(?:~|\.{1,2})?(?:\/[\w.@-]+){2,}\/?|(?:~|\.{1,2})\/[\w.@/-]+|https?:\/\/[^\s?]*)$/;
/** A call, an index, a template or the environment: the value is somewhere else. */
const CODE =
	/^[!(]?[A-Za-z_$][\w$.?!:]*[([<{](?:.*[),;([\]<>{}])?$|^\(?(?:process\.env|os\.environ|import\.meta|env\.|ENV\[)|\$[({]/s;

function isMemberPath(text: string): boolean {
	return /^[A-Za-z_$][\w$]*(?:[?!]?\.[A-Za-z_$][\w$]*)+$/.test(text) && (text.match(/\d/g)?.length ?? 0) < 3;
}

function matchAt(pattern: RegExp, text: string, at: number): string | null {
	pattern.lastIndex = at;
	return pattern.exec(text)?.[0] ?? null;
}
