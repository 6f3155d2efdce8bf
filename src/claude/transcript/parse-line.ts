import { isObject } from "../../core/transcript/decode.ts";
import { quietJson } from "../../core/transcript/quiet-json.ts";

/** A longer line of older history is a file, no word of the user worth its time; one with a picture is read without it. */
export const MAX_WORDS = 256 * 1024;
export const PICTURE = Buffer.from('"type":"base64"');
export const RESULT = Buffer.from('"type":"tool_result"');
/** Results in which the user answered. */
export const ANSWERS = ["want to proceed with this tool use", '"answers":', "approved your plan"].map((mark) =>
	Buffer.from(mark),
);
/** Behind the structured result stands who decided on the call. */
const RULED = ['"source":"user', '"toolDenialKind":'].map((mark) => Buffer.from(mark));
const DATA = Buffer.from('"data":"');
/** Shorter lines are not worth the look. */
const LARGE = 8_192;
const QUOTE = 34;
const NEEDED = ["message", "uuid", "timestamp"];

/**
 * A large result stands in its line twice, as the model saw it and structured; the second is cut off before the parse. The
 * mark can't stand inside a string, where its quotes would be escaped; a cut that does not parse is taken back.
 */
export function parseLine(whole: Buffer): unknown {
	const line = whole.length > MAX_WORDS && whole.includes(PICTURE) ? withoutPictures(whole) : whole;
	if (line.length > LARGE && line.includes(RESULT) && ![...ANSWERS, ...RULED].some((mark) => line.includes(mark))) {
		const at = line.indexOf(',"toolUseResult":');
		const short = at < 0 ? undefined : quietJson(`${line.toString("utf8", 0, at)}}`);
		// another order of keys: more would be cut off with it
		if (isObject(short) && NEEDED.every((name) => short[name] !== undefined)) return short;
	}
	return quietJson(line.toString("utf8"));
}

/** Takes out what pictures and documents hold: base64, without a quote inside. */
function withoutPictures(line: Buffer): Buffer {
	const kept: Buffer[] = [];
	let from = 0;
	for (let at = line.indexOf(DATA); at >= 0; at = line.indexOf(DATA, from)) {
		kept.push(line.subarray(from, at + DATA.length));
		const end = line.indexOf(QUOTE, at + DATA.length);
		if (end < 0) return line;
		from = end;
	}
	return Buffer.concat([...kept, line.subarray(from)]);
}
