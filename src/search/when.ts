import { zoneOffsetMs } from "../store/local-time.ts";

type Span = readonly [from: Date, to: Date];
type Form = readonly [RegExp, (found: string[], now: Date) => Span | null];

const MONTHS = "january february march april may june july august september october november december".split(" ");
const MONTH = `(${MONTHS.map((name) => `${name.slice(0, 3)}(?:${name.slice(3)})?`).join("|")})`;
/** 0 for `jan` or `January`, 11 for December. */
const monthIndex = (month: string): number => MONTHS.findIndex((name) => name.startsWith(month.toLowerCase()));

/** Days as they are written. Not `5/1/2022`, which is two of them. */
const DATE_FORMS: readonly Form[] = [
	[/(?<!\d)(\d{4})[-年](\d{1,2})[-月](\d{1,2})(?!\d)日?/g, ([, y, m, d]) => daySpan(+y!, +m! - 1, +d!)],
	[/(?<![\d.])(\d{1,2})\.(\d{1,2})\.(\d{4})(?![\d.]\d)/g, ([, d, m, y]) => daySpan(+y!, +m! - 1, +d!)],
	[
		new RegExp(`(?<!\\d)(\\d{1,2})(?:st|nd|rd|th)?(?: of)? ${MONTH}\\b\\.?(?:,? (\\d{4})(?!\\d))?`, "gi"),
		([, d, m, y], now) => latestDay(y, monthIndex(m!), +d!, now),
	],
	[
		new RegExp(`\\b${MONTH}\\.? (\\d{1,2})(?:st|nd|rd|th)?\\b(?:,? (\\d{4})(?!\\d))?`, "gi"),
		([, m, d, y], now) => latestDay(y, monthIndex(m!), +d!, now),
	],
	[
		new RegExp(`\\b${MONTH},? (\\d{4})(?!\\d)`, "gi"),
		([, m, y]) => [new Date(+y!, monthIndex(m!), 1), new Date(+y!, monthIndex(m!) + 1, 1)],
	],
];

/**
 * The time that a query asks for, from its first date to its last, in the reader's time zone: Unix seconds, both ends included. `words`: the
 * query with each date as one word, since texts hold dates too. `null` where it names no date.
 */
export function queryTime(query: string, at: Date) {
	const zone = zoneOffsetMs(at);
	const now = new Date(at.getTime() + zone);
	const spans: Span[] = [];
	let words = query;
	for (const [form, spanOf] of DATE_FORMS)
		words = words.replace(form, (...found: string[]) => {
			const span = spanOf(found, now);
			if (!span) return found[0]!;
			spans.push(span);
			return found[0]!.replace(/[^\p{L}\p{N}]+/gu, "-");
		});
	if (spans.length === 0) return null;
	const seconds = (date: Date): number => Math.floor((date.getTime() - zone) / 1000);
	const since = Math.min(...spans.map(([from]) => seconds(from)));
	const until = Math.max(...spans.map(([, to]) => seconds(to) - 1));
	return { since, until, words };
}

/** The span of one day; `null` for a date that does not exist, as 31 June. */
function daySpan(year: number, month: number, date: number): Span | null {
	const from = new Date(year, month, date);
	const isDate = from.getMonth() === month && from.getDate() === date && year > 1_970;
	return isDate ? [from, new Date(year, month, date + 1)] : null;
}

/** The span of a day; without a year that of the latest such day up to now. */
function latestDay(year: string | undefined, month: number, date: number, now: Date): Span | null {
	if (year) return daySpan(+year, month, date);
	const thisYear = daySpan(now.getFullYear(), month, date);
	return thisYear && thisYear[0] > now ? daySpan(now.getFullYear() - 1, month, date) : thisYear;
}
