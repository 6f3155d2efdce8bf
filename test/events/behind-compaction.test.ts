import { existsSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { preCompact } from "../../src/events/pre-compact.ts";
import { preToolUse } from "../../src/events/pre-tool-use.ts";
import { sessionEnd } from "../../src/events/session-end.ts";
import { readReports } from "../../src/store/recovery/checkpoints.ts";
import { Transcript } from "../kit/events.ts";
import { linesOf, listing } from "../kit/sandbox.ts";
import { at } from "./compaction-session.ts";

const RULE = "Never touch src/legacy.";
const REQUEST = "Now finish the release notes.";
const SUMMARY = "Work on the modules went on; see the notes.";
const LINE =
	/^ccg: the summary holds 0 of your 2 messages word for word; the block gave back 2 whole\. More: type ccg report$/;

/** A session, PreCompact, and the compaction in the transcript. */
function compaction(summary: string | null = SUMMARY): Transcript {
	const transcript = new Transcript(at.project).typed(RULE).typed(REQUEST).said("I begin with them.");
	transcript.write(at.transcript);
	at.send(preCompact, { trigger: "auto" });
	transcript.at(at.later(1 / 30)).boundary();
	if (summary !== null) transcript.summary(summary);
	transcript.write(at.transcript);
	return transcript;
}

/** What the next call tells the user. */
const lineOfCall = (): string | null => JSON.parse(at.send(preToolUse) ?? "{}").systemMessage ?? null;

const logLines = (): string[] =>
	listing(join(at.store, "projects"), "")
		.filter((file) => /\/log\/\d{4}-\d\d-\d\d\.md$/.test(file))
		.flatMap(linesOf)
		.filter((line) => line.includes("characters were injected"));

test.each([
	["the summary holds all of it", {}, `The user said: "${RULE}" and "${REQUEST}"`],
	["it is turned off", { recovery: { tellUser: false } }, SUMMARY],
])("no line for the user where %s", (_, config, summary) => {
	at.configure(config);
	compaction(summary);
	at.start("compact");
	expect(lineOfCall()).toBeNull();
});

test.each<[string, string | null, () => void, number | null]>([
	["the summary in the transcript", SUMMARY, () => {}, SUMMARY.length],
	["nothing, where there is none", null, () => {}, null],
	["nothing, without a transcript", SUMMARY, () => rmSync(at.transcript), null],
])("the report compares with %s", (_, summary, change, summaryChars) => {
	compaction(summary);
	change();
	const block = at.start("compact")!;
	expect(block).toContain(`> ${REQUEST}`);
	expect(lineOfCall()).toEqual(summaryChars === null ? null : expect.stringMatching(LINE));
	expect(readReports(at.stored)).toMatchObject([{ trigger: "auto", summaryChars, blockChars: block.length }]);
	const [line, ...more] = logLines();
	expect(more).toEqual([]);
	expect(line).toMatch(/compaction \(auto, \d+k tokens\) while working on "Now .*"; checkpoint precompact_checkpoint_/);
	expect(line).toContain(`${block.length} characters were injected.`);
});

test("followed by nothing, a compaction is logged by what runs beside an exit, once", () => {
	compaction();
	at.start("compact");
	for (let i = 0; i < 2; i++) at.send(sessionEnd, { hook_event_name: "Stop" });
	expect(logLines()).toEqual([expect.stringContaining("compaction (auto")]);
	expect(lineOfCall()).toMatch(LINE);
	expect(logLines()).toHaveLength(1);
});

test("a summary that is written while the hook looks is waited for", async () => {
	const transcript = compaction(null);
	at.start("compact");
	const call = at.launch("pre-tool-use");
	await Bun.sleep(100);
	transcript.summary(SUMMARY).write(at.transcript);
	expect((await call).out).toContain("ccg: the summary holds");
});

test("nothing of a summary is kept", () => {
	compaction("The user wants it done from now on.");
	at.start("compact");
	lineOfCall();
	const files = listing(at.store, "").filter((file) => existsSync(file) && statSync(file).isFile());
	expect(files.filter((file) => readFileSync(file, "utf8").includes("from now on"))).toEqual([]);
});
