import { partOfClean, redactSecrets } from "./redact/secrets.ts";

/** All white space as single spaces, none at the ends. */
export const oneLine = (text: string): string => text.replace(/\s+/g, " ").trim();

/** White space folded and lower case: two texts that say the same in the same words compare equal. */
export const folded = (text: string): string => oneLine(text).toLowerCase();

/** A number with its thousands apart, as `67,000`. Without the locale machinery, which costs start-up time. */
export const grouped = (value: number): string => String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, ",");

/** `text` cut to `max` characters, saying how much is missing. */
export function cut(text: string, max: number): string {
	if (text.length <= max) return text;
	return partOfClean(text, `${text.slice(0, max).trimEnd()} […${text.length - max} more characters]`);
}

// control characters but tab and line feed, zero-width and bidi marks, the Unicode tag block
const INVISIBLE =
	/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff]|[\u{e0000}-\u{e007f}]/gu;
const ANSI = /\u001b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?)/g;
const TAG_LOOK_ALIKE =
	/<(?=\/?(?:system|antml|function_|invoke|user-|assistant|human|tool_|command-|local-command|summary|analysis)[\w-]*[\s>:])/gi;

/**
 * Text made safe to keep and to give back: secrets out, control characters and terminal codes out, look-alikes of the
 * host's tags broken. Ordinary text passes unchanged.
 */
export function safeText(text: string): string {
	let safe = text;
	if (/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u206f\ufeff]|\udb40/.test(safe))
		safe = safe.replace(/\r\n?/g, "\n").replace(ANSI, "").replace(INVISIBLE, "");
	if (safe.includes("<")) safe = safe.replace(TAG_LOOK_ALIKE, "‹");
	return redactSecrets(safe);
}
