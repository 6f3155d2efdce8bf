import { describe, expect, test } from "vitest";
import type { Transcript } from "../kit/events.ts";
import { at, doubles, expectTwoParts, itemsOf, MAX_CHARS, REQUEST } from "./follow-up-session.ts";

describe("resume and further compactions", () => {
	/** What the events gave, as Claude Code keeps it in the transcript. */
	const recorded = (transcript: Transcript, text: string | null): void => {
		if (text) transcript.at(at.now).given("hook_additional_context", text).write(at.transcript);
	};

	test("a resume in between, the recovery block restored by Claude Code: the follow-up block comes", () => {
		const transcript = at.compaction();
		const first = at.start();
		recorded(transcript, first);
		at.post();
		expect(at.start("resume")).toBeNull();
		expectTwoParts(at, first, at.prompt());
	});

	test("a resume in between, nothing restored: the block again, and nothing of it twice afterwards", () => {
		at.compaction();
		const first = at.start()!;
		at.post();
		const again = at.start("resume")!;
		expect(again).toContain(`> ${REQUEST}`);
		const second = at.toolCall() ?? "";
		expect(again.length + second.length).toBeLessThanOrEqual(MAX_CHARS);
		expect(doubles([...itemsOf(again), ...itemsOf(second)])).toEqual([]);
		expect(itemsOf(again).length + itemsOf(second).length).toBeGreaterThan(itemsOf(first).length);
	});

	test("both parts given, then a resume that restores nothing: both again", () => {
		at.compaction();
		expectTwoParts(at, at.start(), at.toolCall());
		expect(at.toolCall()).toBeNull();
		expectTwoParts(at, at.start("resume"), at.prompt());
		expect(at.prompt()).toBeNull();
	});

	test("killed before SessionStart: the resume injects the recovery block, a prompt the follow-up block", () => {
		const transcript = at.compaction();
		const first = at.start("resume");
		recorded(transcript, first);
		expectTwoParts(at, first, at.prompt());
	});
});
