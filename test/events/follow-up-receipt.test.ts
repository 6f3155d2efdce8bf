import { describe, expect, test } from "vitest";
import type { Transcript } from "../kit/events.ts";
import { at, doubles, expectTwoParts, itemsOf, MAX_CHARS, REQUEST, SUMMARY } from "./follow-up-session.ts";

describe("the receipt", () => {
	test.each([
		["compared with PostCompact's summary", SUMMARY],
		["without a summary", null],
	])("a block that did not arrive is injected again once, and logged; %s", (_, summary) => {
		const transcript = at.compaction(null);
		const first = at.start()!;
		if (summary) at.post(summary);
		// another hook's words were recorded, ccg's were not
		transcript.given("hook_success", "a word of another hook").write(at.transcript);
		const again = at.toolCall()!;
		expect(again).toMatch(/^ccg recovery precompact_checkpoint_\d{8}_\d{6}: /);
		expect(again).toContain(`> ${REQUEST}`);
		expect(again.length).toBeLessThanOrEqual(MAX_CHARS);
		// with what the follow-up block would have held
		expect(again.length > first.length).toBe(summary !== null);
		expect(doubles(itemsOf(again))).toEqual([]);
		expect(at.failures).toEqual([
			expect.stringMatching(/^the recovery block precompact_checkpoint_\d+_\d+ did not arrive/),
		]);
		expect([at.toolCall(), at.prompt()]).toEqual([null, null]);
		expect(at.failures).toHaveLength(1);
	});

	test.each(["hook_success", "hook_additional_context"] as const)("a block recorded as %s has arrived", (type) => {
		const transcript = at.compaction();
		const first = at.start()!;
		at.post();
		transcript.given("hook_success", "a word of another hook").given(type, first).write(at.transcript);
		expectTwoParts(at, first, at.toolCall());
	});

	/** A first compaction with its block on record, and a second one of which the transcript shows nothing yet. */
	function twice(): Transcript {
		const transcript = at.compaction();
		transcript.given("hook_success", at.start()!);
		at.toolCall();
		transcript.at(at.now).typed("And the changelog.").write(at.transcript);
		at.pre();
		expect(at.start()).toContain("> And the changelog.");
		return transcript;
	}

	test("a boundary that is not written yet proves nothing: the block of before is not its", () => {
		twice();
		// no summary to compare with, and no block again
		expect([at.toolCall(), at.prompt()]).toEqual([null, null]);
		expect(at.failures).toEqual([]);
	});

	test("killed before the compaction was written: the block of before is restored, and no other given", () => {
		const transcript = twice();
		expect([at.start("resume"), at.prompt(), at.toolCall()]).toEqual([null, null, null]);
		// the compaction comes again, with the request that stands then
		transcript.at(at.now).typed("And the tag.").write(at.transcript);
		at.pre();
		at.compacted(transcript);
		expect(at.start()).toContain("> And the tag.");
	});

	test("killed before the first compaction was written: nothing is lost and nothing given", () => {
		at.session().write(at.transcript);
		at.pre();
		expect(at.start()).toContain(REQUEST);
		expect([at.start("resume"), at.prompt(), at.toolCall()]).toEqual([null, null, null]);
	});

	test("the words of the block in a user's message are no receipt", () => {
		const transcript = at.compaction();
		const first = at.start()!;
		transcript
			.given("hook_success", "a word of another hook")
			.typed(`What is "${first.slice(0, 60)}"?`)
			.write(at.transcript);
		expect(at.toolCall()).toMatch(/^ccg recovery precompact_checkpoint_\d{8}_\d{6}: /);
		expect(at.failures).toHaveLength(1);
	});
});
