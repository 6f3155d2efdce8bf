import { redactSecrets } from "../redact/secrets.ts";
import { breakHostMarks } from "./host-marks.ts";
import { stripInvisible } from "./invisible.ts";

/** The text with all white space as single spaces, none at the ends. */
export const oneLine = (text: string): string => text.replace(/\s+/g, " ").trim();

/** The text without the byte order mark that some editors write at a file's beginning. */
export const stripByteOrderMark = (text: string): string => (text.startsWith("\uFEFF") ? text.slice(1) : text);

/** A time in UTC as digits: `20260131235959999`. */
export const isoDigits = (at: Date): string => at.toISOString().replace(/\D/g, "");

/** The second of a time in UTC, so that names sort by time: `20260131-235959` with `-` between day and second. */
export function isoStamp(at: Date, between: string): string {
	const digits = isoDigits(at);
	return `${digits.slice(0, 8)}${between}${digits.slice(8, 14)}`;
}

/** The text with white space as single spaces and in lower case, for comparing. */
export const normalise = (text: string): string => oneLine(text).toLowerCase();

/** The words of a text without case and punctuation, so that two texts with the same words compare equal. A question mark stays. */
export const comparableWords = (text: string): string =>
	normalise(text.replace(/[’‘]/g, "'"))
		.split(" ")
		// (`*` by itself is a word: `rm *`)
		.map((word) => stripPunctuation(word) || (word.includes("*") ? "*" : ""))
		.filter(Boolean)
		.join(" ");

/** A word without quotes, emphasis and punctuation around it, but for a question mark. */
const stripPunctuation = (word: string): string =>
	trimEndSigns(word.replace(/^["'`“”„«(*_]+/, ""), ".,;:!…\"'`“”„»)*_–—-。！，、；：");

/** The first line of a text that isn't blank, without the signs of a heading. */
export const titleOf = (text: string): string =>
	(text.split("\n").find((line) => line.trim()) ?? "").trim().replace(/^#+\s*/, "");

/** A number with its thousands apart, as `67,000`. Without the locale machinery, which costs start-up time. */
export const withThousands = (value: number): string => String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, ",");

/** `text` cut to `max` characters, saying how much is missing. */
export function truncate(text: string, max: number): string {
	return text.length <= max ? text : `${text.slice(0, max).trimEnd()} […${text.length - max} more characters]`;
}

/** The beginning of a text with `…`, cut at a space where there is one in its second half. */
export function firstWords(text: string, max: number): string {
	if (text.length <= max) return text;
	const head = text.slice(0, max - 1);
	const end = head.lastIndexOf(" ");
	return `${end > max / 2 ? head.slice(0, end) : head}…`.toWellFormed();
}

/** A number with its noun, as `1 fact`, `2,000 facts`; `many` where the plural is not made with an s. */
export const countWithNoun = (n: number, one: string, many = `${one}s`): string =>
	`${withThousands(n)} ${n === 1 ? one : many}`;

/** A span of milliseconds as `2 min 22 s`, `22 s`; `""` below half a second. */
export function durationText(ms: number): string {
	const seconds = Math.round(ms / 1000);
	const minutes = Math.floor(seconds / 60);
	return minutes > 0 ? `${minutes} min ${seconds % 60} s` : seconds > 0 ? `${seconds} s` : "";
}

/** A span of milliseconds as `12 min ago`, `3 h ago`, `2 d ago`. */
export function timeAgo(ms: number): string {
	const minutes = Math.max(0, Math.round(ms / 60_000));
	if (minutes < 60) return `${minutes} min ago`;
	return minutes < 48 * 60 ? `${Math.round(minutes / 60)} h ago` : `${Math.round(minutes / 1440)} d ago`;
}

/** An ISO time to the minute, for people: `2026-01-31 23:59 UTC`. */
export const minuteText = (at: string): string => (at ? `${at.slice(0, 16).replace("T", " ")} UTC` : "an unknown time");

/** How long before `now` an ISO time is, as `12 min ago`. */
export const agoSince = (at: string, now: string): string => timeAgo(Date.parse(now) - Date.parse(at) || 0);

/** How long ago an ISO time is; the time itself where `now` is `""`. */
export const whenText = (at: string, now: string): string => (now ? agoSince(at, now) : minuteText(at));

/**
 * Text made safe to keep and to inject: secrets out, control characters and terminal codes out, look-alikes of the
 * host's tags broken. Ordinary text passes unchanged.
 */
export const safeText = (text: string): string => redactSecrets(breakHostMarks(stripInvisible(text)));

/** A copy of a JSON value with every text and every field's name made safe (`safeText`). */
export function safeDeep(value: unknown): unknown {
	if (typeof value === "string") return safeText(value);
	if (Array.isArray(value)) return value.map(safeDeep);
	if (value === null || typeof value !== "object") return value;
	return Object.fromEntries(Object.entries(value).map(([name, field]) => [safeText(name), safeDeep(field)]));
}

/** Removes invisible characters and breaks marks of the host in a text for the model. It neither redacts nor quotes. */
export const cleanForModel = (text: string): string => breakHostMarks(stripInvisible(text)).toWellFormed();

/** The text without any of `signs` at its end. In one pass: a pattern would try again at each of them. */
export function trimEndSigns(text: string, signs: string): string {
	let end = text.length;
	while (end > 0 && signs.includes(text[end - 1]!)) end--;
	return text.slice(0, end);
}
