import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { indexTranscript } from "../../src/claude/transcript/index-transcript.ts";
import { recallShown, search } from "../../src/search/recall.ts";
import { SearchIndex } from "../../src/search/search-index.ts";
import { failed } from "../kit/ccg.ts";
import { Transcript } from "../kit/events.ts";
import { ccg, sandbox } from "../kit/sandbox.ts";
import { scratch } from "../scratch-home.ts";

const SID = "0c0ffee0-0000-4000-8000-000000000001";
/** A day of January 2027, on the reader's clock. */
const on = (day: number, hour = 12): Date => new Date(2027, 0, day, hour);
const asker = { project: "p", session: SID, now: on(10) };
const noise = (transcript: Transcript): Transcript => {
	for (let i = 0; i < 60; i++) transcript.said(`The retry limit, take ${i}`).said(`Something else, take ${i}`);
	return transcript;
};

const session = (cwd: string): Transcript =>
	noise(new Transcript(cwd, on(2)))
		.at(on(3))
		.typed("The port is 4713")
		.at(on(5))
		.typed("We moved the queue to the attic")
		.said("The port is 4712 now")
		.boundary()
		.at(on(8))
		.call("Bash", { command: "cd /p && git rebase main", description: "Bring it up to date" }, "done")
		.at(on(9))
		.said("The limit is unlimited")
		.call("Bash", { command: 'git commit -m "rebase"' }, "done")
		.said("The port is 4711 again");

let index: SearchIndex;
beforeEach(() => {
	const root = join(scratch("time"), "store");
	index = SearchIndex.open(root)!;
	const path = join(root, `${SID}.jsonl`);
	mkdirSync(root, { recursive: true });
	session("/p").write(path);
	indexTranscript(index, { path, project: "p", session: SID });
});
afterEach(() => index.close());

const found = (words: string): string[] => search(index, words, asker).found.map(({ text }) => text);
const recalled = (words: string): string => recallShown(index, words, asker).text;

test.each([
	["limit on 9 January 2027", "The limit is unlimited"],
	["what happened on January 5, 2027", "We moved the queue to the attic"],
	["what did we say yesterday about the limit", "The limit is unlimited"],
	["limit after the rebase", "The limit is unlimited"],
	["port before the rebase", "The port is 4713"],
	["limit after the compaction", "The limit is unlimited"],
	["port before the last compaction", "The port is 4713"],
])("%s: what is of that time comes first, even where it holds none of the words", (words, text) =>
	expect(found(words)[0]).toBe(text),
);

test.each(["queue before the earthquake", "queue on 4 January 2027", "queue last week", "queue before 2027-01-01"])(
	"%s: a time that nothing of it is known of takes nothing away",
	(words) => expect(found(words)).toContain("We moved the queue to the attic"),
);

test("who asks for the first or the last gets the hits in order of time, others the best first", () => {
	const ports = (words: string) => [...new Set(recalled(words).match(/471\d/g))];
	expect(ports("what was the last port")).toEqual(["4713", "4712", "4711"]);
	expect(recalled("what was the last port")).toContain("in order of time");
	expect(recalled("port")).toContain("best first");
});

test("a hit says when, how long ago, and on which side of its session's last compaction", () => {
	const text = recalled("port");
	expect(text).toMatch(/\] user, 2027-01-\d\d \d\d:00 UTC, 7 d ago, before the last compaction\n\| The port is 4713/);
	expect(text).toMatch(
		/\] agent, 2027-01-\d\d \d\d:\d\d UTC, 24 h ago, after the last compaction\n\| The port is 4711/,
	);
	const other = recallShown(index, "port", { ...asker, session: "other" }).text;
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
	).toMatchObject(failed("of a session", 2));
	const { out } = await ccg(at, ["recall", "--json", "unlimited"]);
	const [{ id, compaction }] = JSON.parse(out);
	expect(compaction).toBe("after");
	const around = (await ccg(at, ["recall", "--around", String(id)])).out;
	expect(around).toMatch(/4713.*We moved.*4712.*unlimited.*4711/s);
	expect(around).not.toContain("git");
	expect((await ccg(at, ["recall", "--around", "999999"])).code).toBe(1);
});
