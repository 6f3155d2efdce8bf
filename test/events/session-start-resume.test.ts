import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { preCompact } from "../../src/events/pre-compact.ts";
import { readSessions } from "../../src/store/status/session-status.ts";
import { readCommitted, readPending } from "../kit/cycle.ts";
import { at } from "./compaction-session.ts";

describe("resume and fork", () => {
	test("each resume gives the block again, once, unless the transcript holds it behind the boundary", () => {
		const transcript = at.session().given("hook_success", "ccg recovery before the boundary");
		at.compact(transcript);
		const first = at.start("compact")!;
		at.later(60);
		expect(at.start("resume")).toBe(first);
		expect(at.start("resume")).toBeNull();
		// where a version records nothing of it, the next process knows nothing of it
		at.later(1);
		expect(at.start("resume")).toBe(first);
	});

	test("killed between PreCompact and SessionStart: resume sees the boundary and gives", () => {
		at.compact(at.session());
		at.later(60);
		expect(at.start("resume")).toContain("Never touch src/legacy.");
		expect(readSessions(at.stored)[0]?.checkpoint).toMatchObject({ state: "committed" });
	});

	test("a block from before the last boundary is not restored: resume gives one", () => {
		const transcript = at.session();
		at.compact(transcript);
		transcript.given("hook_success", at.start("compact")!);
		// a compaction of which no hook told
		transcript.usage(150_000).boundary().summary().write(at.transcript);
		at.later(60);
		expect(at.start("resume")).toMatch(/^ccg recovery/);
	});

	test("a PreCompact after the last boundary proves nothing: resume gives the checkpoint before it", () => {
		const transcript = at.session();
		at.compact(transcript);
		at.start("compact");
		const { key } = readCommitted(at.stored)!;
		at.later(10);
		transcript.at(at.now).typed("Said after the compaction.").write(at.transcript);
		at.send(preCompact, { trigger: "auto" });
		at.later(10);
		expect(at.start("resume")).toContain(`ccg recovery ${key}:`);
		expect(readPending(at.stored)).not.toBeNull();
	});

	test.each(["fork", "resume"])(
		"a fork (%s): a new id and a copied transcript get the state before the boundary",
		(source) => {
			const transcript = at.session();
			at.compact(transcript);
			at.start("compact");
			transcript.typed("Said after the compaction.").write(at.transcript);
			const copy = join(at.top, "fork.jsonl");
			copyFileSync(at.transcript, copy);
			const block = at.start(source, { session_id: "s-2", transcript_path: copy })!;
			expect(block).toMatch(/^ccg recovery/);
			for (const part of ["Never touch src/legacy.", "no new dependencies", "Euro only"]) expect(block).toContain(part);
			expect(block).not.toContain("Said after the compaction.");
			expect(at.start(source, { session_id: "s-2", transcript_path: copy })).toBeNull();
		},
	);
});
