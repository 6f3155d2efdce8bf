import { join } from "node:path";
import { expect, test } from "vitest";
import { timeIn } from "../../src/search/when.ts";
import { corpus } from "../kit/corpus.ts";

const CASES = corpus(join(import.meta.dirname, "when.txt"));
/** A Tuesday, on the reader's clock. */
const now = new Date(2026, 10, 24, 10, 0);

/** The minute of Unix seconds, on the reader's clock. */
function localMinute(seconds: number | undefined): string {
	if (seconds === undefined) return "";
	const at = new Date(seconds * 1_000);
	return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

test.each(CASES["names a time"]!)("%s", (row) => {
	const [query, span] = row.split(" => ");
	const found = timeIn(query!, now)!;
	expect(`${localMinute(found.since)} to ${localMinute(found.until)}`).toBe(span!);
});

test.each([...CASES["names none for sure"]!, ""])("%s names no time for sure", (query) => {
	expect(timeIn(query, now)).toBe(null);
});

test("what names the time is no word to look for; a date stays one", () => {
	expect(timeIn("retries yesterday", now)?.words.trim()).toBe("retries");
	expect(timeIn("due on 1 May 2022", now)?.words).toBe("due on 1-May-2022");
	expect(timeIn("before the last rebase", now)?.event).toEqual({ side: "before", name: "rebase" });
});

test("a huge query is read in bounded time", () => {
	const began = performance.now();
	for (const one of ["1 ", "may ", "yesterday ", "before the ", "2026-", "on "]) timeIn(one.repeat(200_000), now);
	expect(performance.now() - began).toBeLessThan(2_000);
});
