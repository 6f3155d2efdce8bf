import { eachMatch, type Range } from "./ranges.ts";

/** How deep an encoding may lie in another one. */
const MAX_DEPTH = 3;

/**
 * Secrets under an encoding: base64 and percent escapes are undone, and where the plain text holds a secret the whole encoded
 * run goes. `redact` is the gate itself. Linear: a run is decoded once for each depth.
 */
export function findEncoded(
	text: string,
	depth: number,
	redact: (text: string, depth: number) => string,
	found: Range[],
): void {
	if (depth >= MAX_DEPTH) return;
	const take = (start: number, end: number, plain: string | null): void => {
		if (plain !== null && redact(plain, depth + 1) !== plain) found.push({ start, end, kind: "encoded" });
	};
	eachMatch(BASE64, text, (match) => take(match.index, match.index + match[0].length, fromBase64(match[0])));
	if (ESCAPE.test(text))
		eachMatch(PERCENT, text, (match) => take(match.index, match.index + match[0].length, fromPercent(match[0])));
	if (text.includes("\\x") || HEX_RUN.test(text))
		eachMatch(HEX, text, (match) => take(match.index, match.index + match[0].length, fromHex(match[0])));
}

/**
 * Base64 of a text, also in lines, as mail and `base64` wrap it: letters and signs are bytes below 128, so of each four characters
 * the first is one of the first 32. Words and paths hardly ever go on so.
 */
const BASE64 =
	/(?<![A-Za-z0-9+/_-])(?:[A-Za-f][A-Za-z0-9+/_-]{3}){5}[A-Za-z0-9+/_-]*(?:(?:\\n|\r?\n)[ \t]{0,40}(?:\d{1,6}[→\t:|])?[A-Za-z0-9+/_-]{4,}){0,4000}={0,2}/g;
const PERCENT = /(?<![\w.~+*!%-])[\w.~+*!-]{0,80}(?:%[0-9A-Fa-f]{2}[\w.~+*!-]{0,400}){2,400}/g;
const ESCAPE = /%[0-9A-Fa-f]{2}/;
/** Without either there is none of those below: a look for a run is seven times as fast. */
const HEX_RUN = /[0-9a-f]{48}/;
const HEX = /(?:\\x[0-9a-fA-F]{2}){8,4000}|(?<![0-9A-Za-z])(?:[2-7][0-9a-f]|0a|0d|09){24,4000}(?![0-9A-Za-z])/g;

function fromBase64(run: string): string | null {
	const bytes = Buffer.from(run.replace(/\\n|\s|\d{1,6}[→\t:|]/g, ""), "base64");
	return asText(bytes);
}

function fromHex(run: string): string | null {
	return asText(Buffer.from(run.replace(/\\x/g, ""), "hex"));
}

/** The text in bytes, `null` for anything else: a picture, a hash, random bytes. */
export function asText(bytes: Buffer): string | null {
	if (bytes.length < 10) return null;
	for (let i = 0; i < Math.min(bytes.length, 48); i++) {
		const byte = bytes[i]!;
		if (byte < 32 ? byte !== 10 && byte !== 13 && byte !== 9 : byte === 127) return null;
	}
	const text = bytes.toString("utf8");
	return text.includes("\ufffd") && (text.match(/\ufffd/g)?.length ?? 0) > 2 ? null : text;
}

function fromPercent(run: string): string | null {
	try {
		return decodeURIComponent(run.replace(/\+/g, " "));
	} catch {
		return null;
	}
}
