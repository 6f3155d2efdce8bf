import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { postCompact } from "../../src/events/post-compact.ts";
import { sessionEnd } from "../../src/events/session-end.ts";
import { readReports } from "../../src/store/recovery/checkpoints.ts";
import { at, doubles, expectTwoParts, itemsOf, MAX_CHARS, REQUEST, SUMMARY } from "./follow-up-session.ts";

describe("PostCompact", () => {
	test("before SessionStart: the recovery block is compared already, the follow-up block holds the rest", () => {
		at.compaction();
		expect(at.post("Never do thing number 108. That was all of it")).toBeNull();
		const first = at.start()!;
		expect(first).toContain(`> ${REQUEST}`);
		expect(first).not.toContain("Never do thing number 108.");
		const second = at.toolCall() ?? "";
		expect(first.length + second.length).toBeLessThanOrEqual(MAX_CHARS);
		expect(doubles([...itemsOf(first), ...itemsOf(second)])).toEqual([]);
		expect(readReports(at.stored)).toMatchObject([{ summaryChars: 45 }]);
		expect(at.prompt()).toBeNull();
	});

	test("missing: the transcript's summary serves", () => {
		at.compaction("We edited render_118_x and index.ts.");
		const first = at.start();
		const second = at.toolCall();
		expectTwoParts(at, first, second);
		expect(second).toContain("neither the summary nor the recovery block holds");
		expect(second).not.toContain("render_118_x");
		expect(readReports(at.stored)).toMatchObject([{ summaryChars: 36 }]);
	});

	test.each([
		["no summary in the transcript", () => at.compacted(at.session(), null)],
		["no transcript", () => rmSync(at.transcript)],
	])("missing, with %s: there is nothing to compare with", (what, lose) => {
		at.session().write(at.transcript);
		at.pre();
		lose();
		expect(at.start()).toContain(`> ${REQUEST}`);
		expect(at.prompt()).toBeNull();
		if (what === "no transcript") expect(String(at.failures.splice(0))).toContain("ENOENT");
		expect(readReports(at.stored)).toMatchObject([{ summaryChars: null }]);
	});

	test("of the compaction before does not count for this one", () => {
		const transcript = at.compaction();
		at.start();
		at.post("We edited render_118_x.");
		at.toolCall();
		at.pre();
		at.compacted(transcript, null);
		at.start();
		expect(at.prompt()).toBeNull();
	});

	test("of a compaction that SessionStart has not seen: the books of the one before stay closed", () => {
		at.compaction();
		at.start();
		at.post();
		const before = readReports(at.stored);
		at.post("The summary of another compaction.");
		expect(readReports(at.stored)).toEqual(before);
	});

	test("followed by nothing: what runs beside an exit writes its line, and the follow-up block waits on", () => {
		at.compaction();
		const first = at.start()!;
		expect(existsSync(join(at.store, "projects"))).toBe(false);
		at.send(sessionEnd, { hook_event_name: "Stop" });
		expect(at.logLines()).toEqual([expect.stringContaining("compaction (auto")]);
		at.send(sessionEnd, { hook_event_name: "Stop" });
		expect(at.logLines()).toHaveLength(1);
		expectTwoParts(at, first, at.toolCall());
		expect(at.logLines()).toHaveLength(1);
	});

	test("doubled: one report, one line in the daily log, one follow-up block", () => {
		at.compaction();
		const first = at.start()!;
		at.post();
		at.post();
		const second = at.toolCall()!;
		at.post();
		const [report, ...others] = readReports(at.stored);
		expect(others).toEqual([]);
		expect(report).toMatchObject({
			session: "s-1",
			trigger: "auto",
			summaryChars: SUMMARY.length,
			injectedChars: { block: first.length, followUp: second.length },
			kinds: { message: { total: 121, verbatim: 0, reworded: 0 } },
		});
		expect(at.logLines()).toEqual([
			expect.stringContaining(`${first.length + second.length} characters were injected.`),
		]);
	});

	test("without a summary says so", () => {
		expect(() => at.send(postCompact, { trigger: "auto" })).toThrow("no compact_summary");
	});
});
