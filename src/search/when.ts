import { zoneMs } from "../store/local-time.ts";

/** A time that a query names: Unix seconds, both ends belong to it. `event`: it lies before or behind the last time that happened. */
export interface Asked {
	since?: number;
	until?: number;
	event?: { side: "before" | "after"; name: string };
	/** The query without what names the time; a date stays one word of it, since texts hold dates too. */
	words: string;
}

type Span = readonly [from: Date, to: Date];
type Form = readonly [RegExp, (found: string[], now: Date) => Span | null];

const DAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const MONTH =
	"(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)";
const numberOf = (month: string): number => MONTHS.indexOf(month.slice(0, 3).toLowerCase());

/** Days as they are written. Not `5/1/2022`, which is two of them. */
const DATES: readonly Form[] = [
	[/(?<!\d)(\d{4})[-年](\d{1,2})[-月](\d{1,2})(?!\d)日?/g, ([, y, m, d]) => day(+y!, +m! - 1, +d!)],
	[/(?<![\d.])(\d{1,2})\.(\d{1,2})\.(\d{4})(?![\d.]\d)/g, ([, d, m, y]) => day(+y!, +m! - 1, +d!)],
	[
		new RegExp(`(?<!\\d)(\\d{1,2})(?:st|nd|rd|th)?(?: of)? ${MONTH}\\b\\.?(?:,? (\\d{4})(?!\\d))?`, "gi"),
		([, d, m, y], now) => dayOf(y, numberOf(m!), +d!, now),
	],
	[
		new RegExp(`\\b${MONTH}\\.? (\\d{1,2})(?:st|nd|rd|th)?\\b(?:,? (\\d{4})(?!\\d))?`, "gi"),
		([, m, d, y], now) => dayOf(y, numberOf(m!), +d!, now),
	],
	[new RegExp(`\\b${MONTH},? (\\d{4})(?!\\d)`, "gi"), ([, m, y]) => monthOf(+y!, numberOf(m!))],
];

const HOURS = { morning: [5, 12], afternoon: [12, 18], evening: [17, 24], night: [20, 30] } as const;
const PART = `(${Object.keys(HOURS).join("|")})`;

/** Times seen from now. */
const RELATIVE: readonly Form[] = [
	[
		new RegExp(`\\b(?:(day before )?yesterday|(today|this(?= ${PART}))|last(?= night))(?: ${PART})?\\b`, "gi"),
		([, before, today, , part], now) => partOfDay(daysAgo(now, before ? 2 : today ? 0 : 1), part),
	],
	[
		/\b(?:this|(last)) (?:week|(month))\b/gi,
		([, last, month], now) => {
			const [monday] = daysAgo(now, ((now.getDay() + 6) % 7) + (last ? 7 : 0));
			return month ? monthOf(now.getFullYear(), now.getMonth() - (last ? 1 : 0)) : [monday, daysAgo(monday, -7)[0]];
		},
	],
	[
		/\b(?:on|last) (sun|mon|tues|wednes|thurs|fri|satur)day\b/gi,
		([, name], now) => daysAgo(now, ((now.getDay() - DAYS.indexOf(name!.slice(0, 3).toLowerCase()) + 6) % 7) + 1),
	],
	[/(?<![\d.])(\d{1,3}) days? ago\b/gi, ([, count], now) => daysAgo(now, +count!)],
];

/** A time is named in so much of a query. */
const MOST = 4_000;
const SIDE = /\b(before|until|till|after|since)\s+(?:the\s+)?$/i;
const EVENT = /\b(before|after|since|until)\s+(?:(?:the|our|my|your|that|this|last)\s+){1,2}(\p{L}[\p{L}-]{2,30})/giu;

/**
 * The time that a query names for sure, on the reader's clock: days, parts of days, weeks, months; several are the time from the first
 * to the last. `null` where it names none.
 */
export function timeIn(query: string, at: Date): Asked | null {
	const zone = zoneMs(at);
	const now = new Date(at.getTime() + zone);
	const spans: Pick<Asked, "since" | "until">[] = [];
	let words = query.slice(0, MOST);
	for (const form of [...DATES, ...RELATIVE])
		words = words.replace(form[0], (text, ...more: (string | number)[]) => {
			const [at, whole] = more.splice(-2) as [number, string];
			const span = form[1]([text, ...(more as string[])], now);
			if (!span) return text;
			const side = SIDE.exec(whole.slice(Math.max(0, at - 20), at))?.[1];
			spans.push(spanBySide(side?.toLowerCase(), span));
			return DATES.includes(form) ? text.replace(/[^\p{L}\p{N}]+/gu, "-") : " ";
		});
	if (spans.length === 0) return eventIn(query);
	const [since, until] = [spans.flatMap((one) => one.since ?? []), spans.flatMap((one) => one.until ?? [])];
	return {
		...(since.length > 0 && { since: Math.min(...since) - zone / 1000 }),
		...(until.length > 0 && { until: Math.max(...until) - zone / 1000 }),
		words,
	};
}

function eventIn(query: string): Asked | null {
	const [match] = query.slice(0, MOST).matchAll(EVENT);
	if (!match) return null;
	const side = /before|until/i.test(match[1]!) ? "before" : "after";
	return { event: { side, name: match[2]!.toLowerCase() }, words: query.replace(match[0], " ") };
}

/** A span in seconds; with a word before it, what lies on that side of it. */
function spanBySide(side: string | undefined, [from, to]: Span): Pick<Asked, "since" | "until"> {
	const [since, until] = [Math.floor(from.getTime() / 1000), Math.floor(to.getTime() / 1000) - 1];
	if (side === "before") return { until: since - 1 };
	if (side === "after") return { since: until + 1 };
	return side === "since" ? { since } : side ? { until } : { since, until };
}

/** A day; `null` where there is no such one. */
function day(year: number, month: number, date: number): Span | null {
	const from = new Date(year, month, date);
	const isOne = from.getMonth() === month && from.getDate() === date && year > 1_970;
	return isOne ? [from, new Date(year, month, date + 1)] : null;
}

/** A day whose year may be left out: then the last one. */
function dayOf(year: string | undefined, month: number, date: number, now: Date): Span | null {
	if (year) return day(+year, month, date);
	const own = day(now.getFullYear(), month, date);
	return own && own[0] > now ? day(now.getFullYear() - 1, month, date) : own;
}

const monthOf = (year: number, month: number): Span => [new Date(year, month, 1), new Date(year, month + 1, 1)];

function daysAgo(now: Date, days: number): Span {
	const [year, month, date] = [now.getFullYear(), now.getMonth(), now.getDate() - days];
	return [new Date(year, month, date), new Date(year, month, date + 1)];
}

function partOfDay([from, to]: Span, part: string | undefined): Span {
	const hours = HOURS[part?.toLowerCase() as keyof typeof HOURS];
	if (!hours) return [from, to];
	const [year, month, date] = [from.getFullYear(), from.getMonth(), from.getDate()];
	return [new Date(year, month, date, hours[0]), new Date(year, month, date, hours[1])];
}

/** Whether it is asked how something began, ended or stands: then the order of time tells more than the best hit first. */
export const asksOrder = (query: string): boolean =>
	/\b(?:first|last|latest|newest|earliest|final(?:ly)?|current(?:ly)?|recent(?:ly)?|initial(?:ly)?|original(?:ly)?|in the end)\b/i.test(
		query,
	);
