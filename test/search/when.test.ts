import { expect, test } from "vitest";
import { asksOrder, timeIn } from "../../src/search/when.ts";

/** A Tuesday, on the reader's clock. */
const now = new Date(2026, 10, 24, 10, 0);
const asked = (query: string) => {
	const found = timeIn(query, now);
	const local = (seconds: number | undefined) => {
		if (seconds === undefined) return "";
		const at = new Date(seconds * 1_000);
		return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
	};
	return found && `${local(found.since)} to ${local(found.until)}`;
};

test.each([
	["what did we decide on 1 May 2022", "2022-05-01T00:00 to 2022-05-01T23:59"],
	["the 2nd of May, 2022 at 9:15", "2022-05-02T08:45 to 2022-05-02T09:44"],
	["on May 3rd", "2026-05-03T00:00 to 2026-05-03T23:59"],
	["Dec 24", "2025-12-24T00:00 to 2025-12-24T23:59"],
	["plans of May 2022", "2022-05-01T00:00 to 2022-05-31T23:59"],
	["2026-05-01T14:02 error", "2026-05-01T13:32 to 2026-05-01T14:31"],
	["am 1.5.2022", "2022-05-01T00:00 to 2022-05-01T23:59"],
	["2022年5月1日的决定", "2022-05-01T00:00 to 2022-05-01T23:59"],
	["yesterday evening", "2026-11-23T17:00 to 2026-11-23T23:59"],
	["last night", "2026-11-23T20:00 to 2026-11-24T05:59"],
	["was gestern war", "2026-11-23T00:00 to 2026-11-23T23:59"],
	["last week's retries", "2026-11-16T00:00 to 2026-11-22T23:59"],
	["last month", "2026-10-01T00:00 to 2026-10-31T23:59"],
	["on Tuesday", "2026-11-17T00:00 to 2026-11-17T23:59"],
	["3 days ago", "2026-11-21T00:00 to 2026-11-21T23:59"],
	["between 3 March and 5 March 2026", "2026-03-03T00:00 to 2026-03-05T23:59"],
	["last month's", "2026-10-01T00:00 to 2026-10-31T23:59"],
	["the day before yesterday", "2026-11-22T00:00 to 2026-11-22T23:59"],
	["this morning", "2026-11-24T05:00 to 2026-11-24T11:59"],
	["2 hours ago", "2026-11-24T07:30 to 2026-11-24T08:29"],
	["after 1 May 2026 and before 2026-05-05", "2026-05-02T00:00 to 2026-05-04T23:59"],
	["before 2026-05-01", " to 2026-04-30T23:59"],
	["since last Monday", "2026-11-23T00:00 to "],
])("%s names a time", (query, span) => expect(asked(query)).toBe(span));

test.each([
	"the 31.02.2026",
	"2026-13-01",
	"version 1.2.2020.4",
	"10.0.0.1",
	"5/1/2022",
	"may 40",
	"the retry limit",
	"hier",
	"",
])("%s names none for sure", (query) => expect(timeIn(query, now)).toBe(null));

test("what names the time is no word to look for; a date stays one", () => {
	expect(timeIn("retries yesterday", now)?.words.trim()).toBe("retries");
	expect(timeIn("due on 1 May 2022", now)?.words).toBe("due on 1-May-2022");
	expect(timeIn("before the last rebase", now)?.event).toEqual({ side: "before", name: "rebase" });
});

test("who asks how something ended asks for the order of time", () => {
	expect(["the last port", "what was first", "currently?", "the lasting value"].map(asksOrder)).toEqual([
		true,
		true,
		true,
		false,
	]);
});

test("a huge query is read in bounded time", () => {
	const began = performance.now();
	for (const one of ["1 ", "may ", "yesterday ", "before the ", "2026-", "on "]) timeIn(one.repeat(200_000), now);
	expect(performance.now() - began).toBeLessThan(2_000);
});
