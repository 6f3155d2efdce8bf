import { eachMatch, type Range } from "./ranges.ts";

/** How deep an encoding may lie in another one. */
const MAX_DEPTH = 3;

/**
 * Finds secrets under an encoding: base64, hex and percent escapes are undone, and where the plain text holds a secret (`redact` changes
 * it) the whole encoded run is one. Linear: a run is decoded once for each depth.
 */
export function findEncoded(
	text: string,
	depth: number,
	redact: (text: string, depth: number) => string,
	found: Range[],
): void {
	if (depth >= MAX_DEPTH) return;
	for (const { mayOccur, run, decode } of ENCODINGS)
		if (mayOccur.test(text))
			eachMatch(run, text, ({ index, 0: coded }) => {
				const plain = decode(coded);
				if (plain !== null && redact(plain, depth + 1) !== plain)
					found.push({ start: index, end: index + coded.length, kind: "encoded" });
			});
}

/**
 * Base64 of a text, also in lines, as mail and `base64` wrap it: letters and signs are bytes below 128, so of each four characters
 * the first is one of the first 32. Words and paths hardly ever go on so.
 */
const BASE64 =
	/(?<![A-Za-z0-9+/_-])(?:[A-Za-f][A-Za-z0-9+/_-]{3}){5}[A-Za-z0-9+/_-]*(?:(?:\\n|\r?\n)[ \t]{0,40}(?:\d{1,6}[→\t:|])?[A-Za-z0-9+/_-]{4,}){0,4000}={0,2}/g;

const ENCODINGS: { mayOccur: RegExp; run: RegExp; decode(run: string): string | null }[] = [
	{
		mayOccur: /[A-Za-z0-9+/_-]{20}/,
		run: BASE64,
		decode: (run) => decodeText(Buffer.from(run.replace(/\\n|\s|\d{1,6}[→\t:|]/g, ""), "base64")),
	},
	{
		mayOccur: /%[0-9A-Fa-f]{2}/,
		run: /(?<![\w.~+*!%-])[\w.~+*!-]{0,80}(?:%[0-9A-Fa-f]{2}[\w.~+*!-]{0,400}){2,400}/g,
		decode: decodePercent,
	},
	{
		// without either there is none of those below: a look for a run is seven times as fast
		mayOccur: /\\x|[0-9a-f]{48}/,
		run: /(?:\\x[0-9a-fA-F]{2}){8,4000}|(?<![0-9A-Za-z])(?:[2-7][0-9a-f]|0a|0d|09){24,4000}(?![0-9A-Za-z])/g,
		decode: (run) => decodeText(Buffer.from(run.replaceAll("\\x", ""), "hex")),
	},
];

/** Bytes as the text that they hold; `null` for anything else: a picture, a hash, random bytes. */
function decodeText(bytes: Buffer): string | null {
	if (bytes.length < 10) return null;
	const isControl = (byte: number): boolean => (byte < 32 ? byte !== 10 && byte !== 13 && byte !== 9 : byte === 127);
	if (bytes.subarray(0, 48).some(isControl)) return null;
	const text = bytes.toString("utf8");
	return text.split("\ufffd").length > 3 ? null : text;
}

/** A text without percent escapes; `null` where they are no text. */
function decodePercent(run: string): string | null {
	try {
		return decodeURIComponent(run.replaceAll("+", " "));
	} catch {
		return null;
	}
}
