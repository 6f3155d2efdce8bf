import { afterEach, expect, test } from "vitest";
import { queryTime } from "../../src/search/when.ts";
import { localTime } from "../../src/store/local-time.ts";

const before = process.env.TZ;
afterEach(() => {
	if (before === undefined) delete process.env.TZ;
	else process.env.TZ = before;
});

const [WINTER, SUMMER] = ["2026-01-15T22:30:00Z", "2026-07-15T22:30:00Z"];

test.each([
	["JST-9", WINTER, "2026-01-16", "07:30"],
	["CET-1CEST,M3.5.0,M10.5.0/3", WINTER, "2026-01-15", "23:30"],
	["CET-1CEST,M3.5.0,M10.5.0/3", SUMMER, "2026-07-16", "00:30"],
	["BRT+3", WINTER, "2026-01-15", "19:30"],
	["Asia/Tokyo", WINTER, "2026-01-16", "07:30"],
	["No/Such", WINTER, "2026-01-15", "22:30"],
	["7; touch x", WINTER, "2026-01-15", "22:30"],
])("TZ=%s at %s", (zone, at, day, time) => {
	process.env.TZ = zone;
	expect(localTime(new Date(at))).toEqual({ day, time });
});

test("a day that a query names is one of that zone", () => {
	process.env.TZ = "JST-9";
	const { since, until } = queryTime("what was done on 2026-01-16", new Date(WINTER))!;
	expect([since, until].map((at) => new Date(at! * 1000).toISOString())).toEqual([
		"2026-01-15T15:00:00.000Z",
		"2026-01-16T14:59:59.000Z",
	]);
});
