import { existsSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { postToolBatch } from "../../src/events/post-tool-batch.ts";
import { preCompact } from "../../src/events/pre-compact.ts";
import { preToolUse } from "../../src/events/pre-tool-use.ts";
import { loadConfig } from "../../src/store/config.ts";
import { checkpointPath } from "../../src/store/recovery/checkpoints.ts";
import { loadSnapshot, readCommitted, readPending } from "../kit/cycle.ts";
import { Transcript } from "../kit/events.ts";
import { at } from "./compaction-session.ts";

describe("PreCompact", () => {
	test("has the session brought up to date beside it", async () => {
		at.session().write(at.transcript);
		const { out } = await at.launch("pre-compact", { hook_event_name: "PreCompact", trigger: "manual" });
		expect(out).toMatch(/^ccg: /);
		const { key } = readPending(at.stored)!;
		await expect.poll(() => existsSync(checkpointPath(at.stored, key)), { timeout: 20_000 }).toBe(true);
		expect(loadSnapshot(at.stored, at.now).state.messages).not.toEqual([]);
	});

	test.each([[undefined], [0], [900], [4_000], [50_000]])("steering.maxChars %s", (maxChars) => {
		if (maxChars !== undefined) at.configure({ steering: { maxChars } });
		const transcript = new Transcript(at.project);
		for (let i = 0; i < 80; i++) transcript.typed(`${i}: You must never ${"do this ".repeat(40)}.`);
		transcript.typed(`Always ${"x".repeat(3_000)}`).write(at.transcript);
		expect(
			at
				.send(preCompact, { trigger: "manual" })!
				.split("\n")
				.map((line) => line.length > 110),
		).toEqual([false, false, false]);
		const text = at.send(preCompact, { trigger: "auto" })!;
		const most = loadConfig(at.store).config.steering.maxChars;
		expect(text.length).toBeLessThanOrEqual(most);
		expect(most).toBeLessThanOrEqual(9_500);
		if (most > 1_000) expect(text.length).toBeGreaterThan(most - 500);
	});

	test("without a compaction: no start gives a block, and the cycle goes on", () => {
		const transcript = at.session();
		transcript.write(at.transcript);
		at.send(postToolBatch);
		expect(at.send(preToolUse)).not.toBeNull();
		at.send(preCompact, { trigger: "auto" });
		for (const source of ["startup", "clear", "resume", "fork"])
			expect(at.start(source) ?? "", source).not.toContain("ccg recovery");
		expect(readPending(at.stored)).not.toBeNull();
		expect(readCommitted(at.stored)).toBeNull();
		transcript.usage(150_000).write(at.transcript);
		at.send(postToolBatch);
		expect(at.send(preToolUse)).toBeNull();
		// the compaction comes after all
		at.later(5);
		transcript.at(at.now).boundary().summary().write(at.transcript);
		expect(at.start("compact")).toMatch(/^ccg recovery/);
	});
});
