import { zoneMs } from "../store/local-time.ts";

type Span = readonly [from: Date, to: Date];
type Form = readonly [RegExp, (found: string[], now: Date) => Span | null];

const MONTHS = "january february march april may june july august september october november december".split(" ");
const MONTH = `(${MONTHS.map((name) => `${name.slice(0, 3)}(?:${name.slice(3)})?`).join("|")})`;
const numberOf = (month: string): number => MONTHS.findIndex((name) => name.startsWith(month.toLowerCase()));

/** Days as they are written. Not `5/1/2022`, which is two of them. */
const DATES: readonly Form[] = [
	[/(?<!\d)(\d{4})[-年](\d{1,2})[-月](\d{1,2})(?!\d)日?/g, ([, y, m, d]) => day(+y!, +m! - 1, +d!)],
	[/(?<![\d.])(\d{1,2})\.(\d{1,2})\.(\d{4})(?![\d.]\d)/g, ([, d, m, y]) => day(+y!, +m! - 1, +d!)],
	[
		new RegExp(`(?<!\\d)(\\d{1,2})(?:st|nd|rd|th)?(?: of)? ${MONTH}\\b\\.?(?:,? (\\d{4})(?!\\d))?`, "gi"),
		([, d, m, y], now) => lastDay(y, numberOf(m!), +d!, now),
	],
	[
		new RegExp(`\\b${MONTH}\\.? (\\d{1,2})(?:st|nd|rd|th)?\\b(?:,? (\\d{4})(?!\\d))?`, "gi"),
		([, m, d, y], now) => lastDay(y, numberOf(m!), +d!, now),
	],
	[
		new RegExp(`\\b${MONTH},? (\\d{4})(?!\\d)`, "gi"),
		([, m, y]) => [new Date(+y!, numberOf(m!), 1), new Date(+y!, numberOf(m!) + 1, 1)],
	],
];

/**
 * The time from the first to the last date of a query, on the reader's clock: Unix seconds, both ends belong to it. `words`: the query with
 * each date as one word, since texts hold dates too. `null` where it names none.
 */
export function timeIn(query: string, at: Date) {
	const zone = zoneMs(at);
	const now = new Date(at.getTime() + zone);
	const spans: Span[] = [];
	let words = query;
	for (const [form, spanOf] of DATES)
		words = words.replace(form, (...found: string[]) => {
			const span = spanOf(found, now);
			if (!span) return found[0]!;
			spans.push(span);
			return found[0]!.replace(/[^\p{L}\p{N}]+/gu, "-");
		});
	if (spans.length === 0) return null;
	const seconds = (of: Date): number => Math.floor((of.getTime() - zone) / 1000);
	const since = Math.min(...spans.map(([from]) => seconds(from)));
	const until = Math.max(...spans.map(([, to]) => seconds(to) - 1));
	return { since, until, words };
}

/** A day; `null` where there is no such one. */
function day(year: number, month: number, date: number): Span | null {
	const from = new Date(year, month, date);
	const isOne = from.getMonth() === month && from.getDate() === date && year > 1_970;
	return isOne ? [from, new Date(year, month, date + 1)] : null;
}

/** A day whose year may be left out: then the last one. */
function lastDay(year: string | undefined, month: number, date: number, now: Date): Span | null {
	if (year) return day(+year, month, date);
	const own = day(now.getFullYear(), month, date);
	return own && own[0] > now ? day(now.getFullYear() - 1, month, date) : own;
}
