import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Home, joinsFor, twoHomes } from "../kit/sync-commands.ts";
import { sessionIn } from "../kit/sync-session.ts";

const SID = "11111111-1111-4111-8111-111111111111";
const ALL = "notes,tasks,checkpoints,summaries,passages";

const sharedSessions = ({ store }: Home): string => {
	const [key = ""] = readdirSync(join(store, "projects"));
	return readFileSync(join(store, "projects", key, "shared-sessions.md"), "utf8");
};

async function homes() {
	const { place, ann, bob } = twoHomes("sessions");
	await sessionIn(ann, SID, "parser");
	return { ann, bob, place };
}

test("checkpoints, summaries and passages of another machine are found by recall, as another's words", async () => {
	const { ann, bob, place } = await homes();
	const dry = await ann.ccg("sync", "init", place, "--project", "new", "--share", ALL, "--dry-run");
	expect(dry.out).toMatch(/^passage {2}.*The parser reads its table twice/m);
	const id = await ann.init(place, "--share", ALL);
	await joinsFor(id, ann, bob);
	const text = sharedSessions(bob);
	for (const kind of [
		"checkpoint: ",
		"summary: The parser is half ported",
		"passage, said by the user there: Port the parser",
	])
		expect(text).toMatch(new RegExp(`^- ann on [^,]+, \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d UTC, ${kind}`, "m"));
	// a long message whole; no call, no result, no secret, no path of that machine
	expect(text).toContain("The parser ends.");
	for (const one of ["hunter2", ann.home]) expect(text).not.toContain(one);
	for (const line of text.split("\n").filter((one) => one.includes(", passage")))
		expect(line).not.toMatch(/tool|\.log/);
	expect(text).toContain("Port the parser in src, and");
	expect((await bob.ccg("index", "--rebuild")).code).toBe(0);
	expect((await bob.ccg("recall", "table", "twice")).out).toMatch(
		/\n\[\d+\] file, \d{4}-[^\n]*, by `ann on [^`]+`, [^\n]*shared-sessions\.md\n\| - ann on .*said by the agent there: The parser reads its table twice/,
	);
	expect((await bob.ccg("recall", "half", "ported")).out).toContain("summary: The parser is half ported");
	// told unasked is none of it: a start has its own room
	expect(bob.shared()).not.toContain("table twice");
	expect((await bob.ccg("memory", "list")).out).not.toContain("table twice");
});

test("passages only when asked for, each offered once, of this project alone, and what is new each time", async () => {
	const { ann, bob, place } = await homes();
	const id = await ann.init(place, "--share", "notes,checkpoints,summaries,tasks");
	await joinsFor(id, ann, bob);
	// (a turn's end starts an exchange of its own)
	await ann.ccg("sync", "pause");
	expect(sharedSessions(bob)).not.toContain("passage");
	expect((await ann.ccg("sync", "init", "--share", ALL, "--yes")).code).toBe(0);
	expect(await ann.json("sync", "now")).toMatchObject({ offered: 0, sent: 0 });
	const other = join(ann.home, "other");
	mkdirSync(other);
	await sessionIn({ ...ann, project: other }, SID.replaceAll("1", "2"), "lexer");
	expect(await ann.json("sync", "now")).toMatchObject({ offered: 0 });
	await sessionIn(ann, SID.replaceAll("1", "3"), "printer");
	const now = await ann.json("sync", "now");
	// the task, its checkpoint and summary, two messages of one piece and one of several, in one batch
	expect(now).toMatchObject({ offered: 7, sent: 1 });
	await bob.ccg("sync", "now");
	expect(sharedSessions(bob)).toContain("The printer reads its table twice");
	expect(sharedSessions(bob)).not.toContain("lexer");
	expect(existsSync(join(ann.store, "shared-sessions.md"))).toBe(false);
});
