import { existsSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { preCompact } from "../../src/events/pre-compact.ts";
import { preToolUse } from "../../src/events/pre-tool-use.ts";
import type { EventHandler } from "../../src/events/run/event.ts";
import { sessionEnd } from "../../src/events/session-end.ts";
import { userPromptSubmit } from "../../src/events/user-prompt-submit.ts";
import { readReports } from "../../src/store/recovery/checkpoints.ts";
import { Transcript } from "../kit/events.ts";
import { linesOf, listing } from "../kit/sandbox.ts";
import { anew, at } from "./compaction-session.ts";

const RULE = "Never touch src/legacy.";
const REQUEST = "Now finish the release notes.";
const SUMMARY = "Work on the modules went on; see the notes.";
const BLOCK = /^ccg recovery precompact_checkpoint_\d{8}_\d{6}: /;
const LINE =
	/^ccg: the summary holds 0 of your 2 messages word for word; the block gave back 2 whole\. More: ! \S*ccg show latest --as report$/;

const session = (): Transcript => new Transcript(at.project).typed(RULE).typed(REQUEST).said("I begin with them.");

/** A session, PreCompact, and the compaction in the transcript. */
function compaction(summary: string | null = SUMMARY): Transcript {
	const transcript = session();
	transcript.write(at.transcript);
	at.send(preCompact, { trigger: "auto" });
	return compacted(transcript, summary);
}

function compacted(transcript: Transcript, summary: string | null = SUMMARY): Transcript {
	transcript.at(at.later(1 / 30)).boundary();
	if (summary !== null) transcript.summary(summary);
	transcript.write(at.transcript);
	return transcript;
}

const start = (source = "compact"): string | null => {
	at.later(1 / 30);
	return at.start(source);
};

/** What the next call or prompt tells: to the model, to the user. */
function next(handler: EventHandler = preToolUse): (string | null)[] {
	at.later(1 / 30);
	const { systemMessage = null, hookSpecificOutput } = JSON.parse(at.send(handler) ?? "{}");
	return [hookSpecificOutput?.additionalContext ?? null, systemMessage];
}
const NOTHING = [null, null];

const logLines = (): string[] =>
	listing(join(at.store, "projects"), "")
		.filter((file) => /\/log\/\d{4}-\d\d-\d\d\.md$/.test(file))
		.flatMap(linesOf)
		.filter((line) => line.includes("characters were injected"));

describe("the line for the user", () => {
	test.each([
		["tool call", preToolUse, userPromptSubmit],
		["prompt", userPromptSubmit, preToolUse],
	])("comes with the first %s behind the block, once", (_, event, other) => {
		const transcript = session();
		transcript.write(at.transcript);
		expect(next(event)).toEqual(NOTHING);
		at.send(preCompact, { trigger: "auto" });
		expect(next(event)).toEqual(NOTHING);
		compacted(transcript);
		expect(start()).toMatch(BLOCK);
		expect(next(event)).toEqual([null, expect.stringMatching(LINE)]);
		expect([next(event), next(other), start(), next(event)]).toEqual([NOTHING, NOTHING, null, NOTHING]);
		expect(existsSync(at.stored.paths.followUpMarker)).toBe(false);
		expect(start("resume")).toMatch(BLOCK);
		expect([next(event), next(other)]).toEqual([NOTHING, NOTHING]);
		expect(at.failures).toEqual([]);
	});

	test.each([
		["the summary holds all of it", {}, `The user said: "${RULE}" and "${REQUEST}"`],
		["it is turned off", { recovery: { tellUser: false } }, SUMMARY],
	])("is none where %s", (_, config, summary) => {
		at.configure(config);
		compaction(summary);
		start();
		expect(next()).toEqual(NOTHING);
	});

	test("is given to one of six calls and prompts at once, and to no subagent", async () => {
		compaction();
		start();
		expect(await at.launch("pre-tool-use", { agent_id: "a1" })).toEqual({ code: 0, out: "", err: "" });
		expect(await at.launch("user-prompt-submit", { session_id: "s-2" })).toEqual({ code: 0, out: "", err: "" });
		const names = ["pre-tool-use", "user-prompt-submit"];
		const runs = await Promise.all([...names, ...names, ...names].map((name) => at.launch(name)));
		for (const { code, err } of runs) expect({ code, err }).toEqual({ code: 0, err: "" });
		expect(runs.filter(({ out }) => out.includes("ccg: the summary holds"))).toHaveLength(1);
		expect(linesOf(join(at.store, "log", "ccg.log"))).toEqual([]);
	});
});

describe("the report", () => {
	test.each<[string, string | null, () => void, number | null]>([
		["the summary in the transcript", SUMMARY, () => {}, SUMMARY.length],
		["nothing, where there is none", null, () => {}, null],
		["nothing, without a transcript", SUMMARY, () => rmSync(at.transcript), null],
	])("compares with %s", (_, summary, change, summaryChars) => {
		compaction(summary);
		change();
		const block = start()!;
		expect(block).toContain(`> ${REQUEST}`);
		expect(next()).toEqual([null, summaryChars === null ? null : expect.stringMatching(LINE)]);
		expect(readReports(at.stored)).toMatchObject([{ trigger: "auto", summaryChars, blockChars: block.length }]);
		const [line, ...more] = logLines();
		expect(more).toEqual([]);
		expect(line).toMatch(
			/compaction \(auto, \d+k tokens\) while working on "Now .*"; checkpoint precompact_checkpoint_/,
		);
		expect(line).toContain(`${block.length} characters were injected.`);
	});

	test("of the compaction before does not count for this one, nor of one that SessionStart has not seen", () => {
		const transcript = compaction();
		start();
		next();
		at.send(preCompact, { trigger: "auto" });
		compacted(transcript, null);
		start();
		expect(next()).toEqual(NOTHING);
	});

	test("followed by nothing: what runs beside an exit writes its line, and the user's waits on", () => {
		compaction();
		start();
		for (let i = 0; i < 2; i++) at.send(sessionEnd, { hook_event_name: "Stop" });
		expect(logLines()).toEqual([expect.stringContaining("compaction (auto")]);
		expect(next()).toEqual([null, expect.stringMatching(LINE)]);
		expect(logLines()).toHaveLength(1);
	});

	test("a summary that is written while the hook looks is waited for", async () => {
		const transcript = compaction(null);
		start();
		const call = at.launch("pre-tool-use");
		await Bun.sleep(100);
		transcript.summary(SUMMARY).write(at.transcript);
		expect((await call).out).toContain("ccg: the summary holds");
	});

	test("nothing of a summary is kept", () => {
		compaction("The user wants it done from now on.");
		start();
		next();
		const files = listing(at.store, "").filter((file) => existsSync(file) && statSync(file).isFile());
		expect(files.filter((file) => readFileSync(file, "utf8").includes("from now on"))).toEqual([]);
	});
});

describe("the receipt", () => {
	test("a block that did not arrive is injected again once, and logged; a quotation of it is no receipt", () => {
		const transcript = compaction();
		const first = start()!;
		// another hook's words were recorded, ccg's were not
		transcript.given("hook_success", "a word of another hook").typed(`What is "${first.slice(0, 60)}"?`);
		transcript.write(at.transcript);
		expect(next()).toEqual([first, expect.stringMatching(LINE)]);
		expect(at.failures).toEqual([expect.stringMatching(/^the recovery block \S+ did not arrive/)]);
		expect([next(), next(userPromptSubmit)]).toEqual([NOTHING, NOTHING]);
	});

	test.each(["hook_success", "hook_additional_context"] as const)("a block recorded as %s has arrived", (type) => {
		const transcript = compaction();
		transcript.given("hook_success", "a word of another hook").given(type, start()!).write(at.transcript);
		expect(next()[0]).toBeNull();
		expect([start("resume"), next()]).toEqual([null, NOTHING]);
	});

	/** A first compaction with its block on record, and a second one of which the transcript shows nothing yet. */
	function twice(): Transcript {
		const transcript = compaction();
		transcript.given("hook_success", start()!);
		next();
		transcript.at(at.now).typed("And the changelog.").write(at.transcript);
		at.send(preCompact, { trigger: "auto" });
		expect(start()).toContain("> And the changelog.");
		return transcript;
	}

	test("a boundary that is not written yet proves nothing: the block of before is not its", () => {
		twice();
		expect([next()[0], next(userPromptSubmit)[0]]).toEqual([null, null]);
		expect(at.failures).toEqual([]);
	});

	test("killed before the compaction was written: the block of before is restored, and no other given", () => {
		const transcript = twice();
		expect([start("resume"), next(userPromptSubmit), next()]).toEqual([null, NOTHING, NOTHING]);
		transcript.at(at.now).typed("And the tag.").write(at.transcript);
		at.send(preCompact, { trigger: "auto" });
		compacted(transcript);
		expect(start()).toContain("> And the tag.");
	});

	test("killed before the first compaction was written: nothing is lost and nothing given", () => {
		session().write(at.transcript);
		at.send(preCompact, { trigger: "auto" });
		expect(start()).toContain(REQUEST);
		expect([start("resume"), next(userPromptSubmit)]).toEqual([null, NOTHING]);
	});
});

test("any order, doubling and omission of events: each block once, within the limit, the request given, nothing thrown", () => {
	const EVENTS = ["PreCompact", "SessionStart", "PreToolUse", "UserPromptSubmit", "resume"] as const;
	fc.assert(
		fc.property(
			fc.array(fc.constantFrom(...EVENTS), { minLength: 1, maxLength: 10 }),
			fc.boolean(),
			fc.constantFrom(2_000, 9_000),
			(events, isRecorded, maxChars) => {
				anew();
				at.configure({ recovery: { maxChars } });
				const transcript = session();
				transcript.write(at.transcript);
				let isCompacted = false;
				/** The blocks that the model holds. */
				let held: string[] = [];
				const lines: string[] = [];
				for (const event of events) {
					if (event === "resume" && !isRecorded) held = [];
					if (!isCompacted && event === "SessionStart") compacted(transcript);
					const [text, line] = {
						PreCompact: () => [at.send(preCompact, { trigger: "auto" }) && null, null],
						SessionStart: () => [start(), null],
						PreToolUse: () => next(),
						UserPromptSubmit: () => next(userPromptSubmit),
						resume: () => [start("resume"), null],
					}[event]();
					if (event === "PreCompact" && !isCompacted) compacted(transcript);
					isCompacted ||= ["PreCompact", "SessionStart"].includes(event);
					if (line) lines.push(line);
					if (!text) continue;
					expect([text.length <= maxChars, text.includes(REQUEST), held.includes(text)]).toEqual([true, true, false]);
					held.push(text);
					if (isRecorded) transcript.at(at.now).given("hook_additional_context", text).write(at.transcript);
				}
				// one for each compaction that the events tell of, and one that a call or a resume finds
				const told = events.filter((event) => event === "PreCompact" || event === "SessionStart");
				expect(lines.length).toBeLessThanOrEqual(told.length + 1);
				expect(at.failures).toEqual([]);
				rmSync(at.top, { recursive: true });
			},
		),
		{ numRuns: 120 },
	);
}, 60_000);
