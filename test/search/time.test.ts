import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { indexTranscript } from "../../src/claude/transcript/index-transcript.ts";
import { recallText, searchPassages } from "../../src/search/recall.ts";
import { SearchIndex } from "../../src/search/search-index.ts";
import { queryTime } from "../../src/search/when.ts";
import { corpus } from "../kit/corpus.ts";
import { Transcript } from "../kit/events.ts";
import { ccg, sandbox } from "../kit/sandbox.ts";
import { scratch } from "../scratch-home.ts";

const SID = "0c0ffee0-0000-4000-8000-000000000001";
/** A day of January 2027, on the reader's clock. */
const on = (day: number, hour = 12): Date => new Date(2027, 0, day, hour);
const asker = { project: "p", session: SID, now: on(10) };
function session(cwd: string): Transcript {
	const made = new Transcript(cwd, on(2));
	for (let i = 0; i < 60; i++) made.said(`The retry limit, take ${i}`).said(`Something else, take ${i}`);
	return made
		.at(on(3))
		.typed("The port is 4713")
		.at(on(5))
		.typed("We moved the queue to the attic")
		.said("The port is 4712 now")
		.boundary()
		.at(on(9))
		.said("The limit is unlimited")
		.call("Bash", { command: "git push" }, "done")
		.said("The port is 4711 again");
}

let index: SearchIndex;
beforeEach(() => {
	const root = join(scratch("time"), "store");
	index = SearchIndex.open(root)!;
	const path = join(root, `${SID}.jsonl`);
	mkdirSync(root, { recursive: true });
	session("/p").write(path);
	indexTranscript(index, { path, project: "p", session: SID });
});

const found = (words: string): string[] => searchPassages(index, words, asker).found.map(({ text }) => text);
const recalled = (words: string): string => recallText(index, words, asker);

test.each([
	["limit on 9 January 2027", "The limit is unlimited"],
	["what happened on January 5, 2027", "We moved the queue to the attic"],
	["limit between 8 January and 2027-01-09", "The limit is unlimited"],
])("%s: what is of that time comes first, even where it holds none of the words", (words, text) =>
	expect(found(words)[0]).toBe(text),
);

test("the time that is asked for counts as much as all the words, also where the words are rare in a large index", () => {
	const other = new Transcript("/p", on(1)).said("deploy zanzibar");
	for (let n = 0; n < 600; n++) other.said(`filler ${n} of something quite different`);
	const path = join(index.root, "other.jsonl");
	other.write(path);
	indexTranscript(index, { path, project: "p", session: "other" });
	expect(found("deploy zanzibar filler on 5 January 2027")[0]).toBe("We moved the queue to the attic");
});

test("a day on which nothing was said takes nothing away", () =>
	expect(found("queue on 4 January 2027")).toContain("We moved the queue to the attic"));

test("a hit says when, how long ago, and on which side of its session's last compaction", () => {
	const text = recalled("port");
	expect(text).toMatch(/\] user, 2027-01-\d\d \d\d:00 UTC, 7 d ago, before the last compaction\n\| The port is 4713/);
	expect(text).toMatch(
		/\] agent, 2027-01-\d\d \d\d:\d\d UTC, 24 h ago, after the last compaction\n\| The port is 4711/,
	);
	const other = recallText(index, "port", { ...asker, session: "other" });
	expect(other).toContain("7 d ago, session 0c0ffee0");
	expect(other).not.toContain("compaction\n");
});

test("the command takes them as options", async () => {
	const at = sandbox("time");
	const transcript = join(at.home, ".claude", "projects", "p", `${SID}.jsonl`);
	mkdirSync(join(transcript, ".."), { recursive: true });
	session(at.project).write(transcript);
	expect(await ccg(at, ["index", "--rebuild"])).toMatchObject({ code: 0 });
	const ports = async (...options: string[]) =>
		[...new Set((await ccg(at, ["recall", ...options])).out.match(/471\d/g))].sort();
	expect(await ports("port", "--until", "2027-01-03")).toEqual(["4713"]);
	expect(await ports("port", "--since", "2027-01-04", "--until", "2027-01-05")).toEqual(["4712"]);
	expect(await ports("port", "--session", SID, "--before-compaction")).toEqual(["4712", "4713"]);
	expect(
		await ccg(at, ["recall", "--before-compaction", "port"], { env: { CLAUDE_CODE_SESSION_ID: "" } }),
	).toMatchObject({ code: 0, out: expect.stringContaining("Nothing") });
	const { out } = await ccg(at, ["recall", "--json", "unlimited"]);
	const [{ id, compaction }] = JSON.parse(out);
	expect(compaction).toBe("after");
	const around = (await ccg(at, ["recall", "--more", String(id), "--kind", "user,agent"])).out;
	expect(around).toMatch(/4713.*We moved.*4712.*unlimited.*4711/s);
	expect(around).not.toContain("git");
	expect((await ccg(at, ["recall", "--more", "999999"])).code).toBe(1);
});

const CASES = corpus(join(import.meta.dirname, "when.txt"));
/** A Tuesday, on the reader's clock. */
const TUESDAY = new Date(2026, 10, 24, 10, 0);

/** The minute of Unix seconds, on the reader's clock. */
function localMinute(seconds: number): string {
	const at = new Date(seconds * 1_000);
	return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

test.each(CASES["names a time"]!)("%s", (row) => {
	const [query, span] = row.split(" => ");
	const found = queryTime(query!, TUESDAY)!;
	expect(`${localMinute(found.since)} to ${localMinute(found.until)}`).toBe(span!);
});

test.each([...CASES["names none for sure"]!, ""])("%s names no time for sure", (query) => {
	expect(queryTime(query, TUESDAY)).toBe(null);
});

test("a date is one word to look for", () => {
	expect(queryTime("due on 1 May 2022", TUESDAY)?.words).toBe("due on 1-May-2022");
});

test("a huge query is read in bounded time", () => {
	const began = performance.now();
	for (const one of ["1 ", "may ", "2026-"]) queryTime(one.repeat(200_000), TUESDAY);
	expect(performance.now() - began).toBeLessThan(2_000);
});
