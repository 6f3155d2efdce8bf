import { redactSecrets } from "../redact/secrets.ts";
import { withoutHostMarks } from "./host-marks.ts";
import { visible } from "./invisible.ts";

/** All white space as single spaces, none at the ends. */
export const oneLine = (text: string): string => text.replace(/\s+/g, " ").trim();

/** Without the mark that some editors write at a file's beginning. */
export const withoutMark = (text: string): string => (text.startsWith("\uFEFF") ? text.slice(1) : text);

/** `20260131235959999`, UTC. */
export const isoDigits = (at: Date): string => at.toISOString().replace(/\D/g, "");

/** The second of a time in UTC, so that names sort by time: `20260131-235959` with `-` between day and second. */
export function isoStamp(at: Date, between: string): string {
	const digits = isoDigits(at);
	return `${digits.slice(0, 8)}${between}${digits.slice(8, 14)}`;
}

/** White space normalised and lower case: two texts that say the same in the same words compare equal. */
export const normalise = (text: string): string => oneLine(text).toLowerCase();

/** The same whatever marks end or quote its words; what asks stays a question. */
export const sameWords = (text: string): string =>
	normalise(text.replace(/[’‘]/g, "'"))
		.split(" ")
		// (a sign by itself may be the point of a command: `rm *`)
		.map((word) => bareWord(word) || (word.includes("*") ? "*" : ""))
		.filter(Boolean)
		.join(" ");

const bareWord = (word: string): string =>
	withoutEnd(word.replace(/^["'`“”„«(*_]+/, ""), ".,;:!…\"'`“”„»)*_–—-。！，、；：");

/** The first line of a text that says something, without the signs of a heading. */
export const titleOf = (text: string): string =>
	(text.split("\n").find((line) => line.trim()) ?? "").trim().replace(/^#+\s*/, "");

/** A number with its thousands apart, as `67,000`. Without the locale machinery, which costs start-up time. */
export const grouped = (value: number): string => String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, ",");

/** `text` cut to `max` characters, saying how much is missing. */
export function cut(text: string, max: number): string {
	return text.length <= max ? text : `${text.slice(0, max).trimEnd()} […${text.length - max} more characters]`;
}

/** The beginning of a text, cut between words where there is one. */
export function firstWords(text: string, max: number): string {
	if (text.length <= max) return text;
	const head = text.slice(0, max - 1);
	const end = head.lastIndexOf(" ");
	return `${end > max / 2 ? head.slice(0, end) : head}…`.toWellFormed();
}

/** A number with its noun, as `1 fact`, `2,000 facts`; `many` where the plural is not made with an s. */
export const counted = (n: number, one: string, many = `${one}s`): string => `${grouped(n)} ${n === 1 ? one : many}`;

/** How long ago that is, as `12 min ago`, `3 h ago`, `2 d ago`. */
export function ago(ms: number): string {
	const minutes = Math.max(0, Math.round(ms / 60_000));
	if (minutes < 60) return `${minutes} min ago`;
	return minutes < 48 * 60 ? `${Math.round(minutes / 60)} h ago` : `${Math.round(minutes / 1440)} d ago`;
}

/** An ISO time to the minute, for people. */
export const minuteOf = (at: string): string => (at ? `${at.slice(0, 16).replace("T", " ")} UTC` : "an unknown time");

/** How long ago an ISO time is, seen from another. */
export const agoSince = (at: string, now: string): string => ago(Date.parse(now) - Date.parse(at) || 0);

/** An ISO time as its age, or to the minute where there is no now to tell it by. */
export const whenText = (at: string, now: string): string => (now ? agoSince(at, now) : minuteOf(at));

/**
 * Text made safe to keep and to inject: secrets out, control characters and terminal codes out, look-alikes of the
 * host's tags broken. Ordinary text passes unchanged.
 */
export const safeText = (text: string): string => redactSecrets(withoutHostMarks(visible(text)));

/** Every text of a value, and every name, without what acts on a terminal or poses as the host. */
export function safeDeep(value: unknown): unknown {
	if (typeof value === "string") return safeText(value);
	if (Array.isArray(value)) return value.map(safeDeep);
	if (value === null || typeof value !== "object") return value;
	return Object.fromEntries(Object.entries(value).map(([name, one]) => [safeText(name), safeDeep(one)]));
}

/**
 * What goes to the model, whatever it was made of: the one gate on the way out, beside redaction. That a text of others begins
 * no line is not its work: it was quoted where it was put in.
 */
export const forModel = (text: string): string => withoutHostMarks(visible(text)).toWellFormed();

/** The text without those of the signs that stand at its end. In one pass: a pattern tries again at each of them. */
export function withoutEnd(text: string, signs: string): string {
	let end = text.length;
	while (end > 0 && signs.includes(text[end - 1]!)) end--;
	return text.slice(0, end);
}
