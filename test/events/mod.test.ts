import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { HookInput } from "../../src/claude/hook-input.ts";
import { modCompacted } from "../../src/events/mod-compacted.ts";
import { modMeasure } from "../../src/events/mod-measure.ts";
import { postCompact } from "../../src/events/post-compact.ts";
import { postToolBatch } from "../../src/events/post-tool-batch.ts";
import { preCompact } from "../../src/events/pre-compact.ts";
import { preToolUse } from "../../src/events/pre-tool-use.ts";
import { sessionStart } from "../../src/events/session-start.ts";
import { readUsage } from "../../src/store/pressure/flags.ts";
import { readCheckpointLog, readPending } from "../kit/cycle.ts";
import type { Transcript } from "../kit/events.ts";
import { given } from "../kit/services.ts";
import { at } from "./compaction-session.ts";

const NONE = { tokens: null, trigger: null, window: null, claudeVersion: null };
const byMod = (fields: Partial<HookInput> = {}) => ({ mod: NONE, ...fields }) as unknown as Record<string, string>;
const measured = (tokens: number) =>
	byMod({ mod: { tokens, trigger: 67_000, window: 100_000, claudeVersion: "2.1.330" } });
const SUMMARY = "The user wants a cart. Which currency? Euro only. No new dependencies.";
/** What the mod and the hooks do around one compaction, in Claude Code's order (measured on 2.1.330). */
function compactWith(transcript: Transcript, { mod, hooks }: { mod: boolean; hooks: boolean }) {
	transcript.write(at.transcript);
	at.later(1);
	const steering = [mod ? at.send(preCompact, byMod({ trigger: "auto" })) : null];
	const custom_instructions = steering[0] ?? "";
	if (hooks) steering.push(at.send(preCompact, { trigger: "auto", custom_instructions }));
	// the transcript is written behind the events: no boundary yet
	transcript.write(at.transcript);
	const block = hooks ? at.send(sessionStart, { hook_event_name: "SessionStart", source: "compact" }) : null;
	if (hooks) at.send(postCompact, { compact_summary: SUMMARY });
	return { steering: steering.filter(Boolean), block: block && given(block, "SessionStart") };
}

const append = (): Record<"block" | "followUp" | "line", string | null> | null =>
	JSON.parse(at.send(modCompacted, byMod({ compact_summary: SUMMARY })) ?? "null");

describe("measuring", () => {
	test("what Claude Code says counts, and the nudge is claimed by one: the mod or a hook", () => {
		at.session().write(at.transcript);
		const calm = JSON.parse(at.send(modMeasure, measured(20_000))!);
		expect(calm).toEqual({ nudge: null, band: null });
		expect(readUsage(at.stored)).toMatchObject({ source: "mod", trigger: 67_000, why: "told by Claude Code" });
		const due = JSON.parse(at.send(modMeasure, measured(60_000))!);
		expect(due).toEqual({ nudge: expect.stringMatching(/^ccg nudge: /), band: "7k left of 67k, imminent" });
		expect([JSON.parse(at.send(modMeasure, measured(61_000))!).nudge, at.send(preToolUse)]).toEqual([null, null]);
	});

	test("high use takes the checkpoint, once a cycle", async () => {
		at.configure({ checkpoints: { usageShare: 0.71 } });
		at.session().write(at.transcript);
		const taken = () => readCheckpointLog(at.stored).map(({ trigger }) => trigger);
		for (const tokens of [48_000, 49_000]) await at.launch("mod-measure", measured(tokens));
		await expect.poll(taken, { timeout: 20_000 }).toEqual(["high_token_usage"]);
	}, 30_000);

	test("the hook's marker, found first by the hook, leaves none to the mod", () => {
		at.session().write(at.transcript);
		at.send(postToolBatch);
		expect(at.send(preToolUse)).toContain("ccg nudge");
		expect(JSON.parse(at.send(modMeasure, measured(140_000))!).nudge).toBeNull();
	});
});

describe("around a compaction: one steering text, one block, whoever is there", () => {
	test("mod and hooks: the mod speaks", () => {
		const { steering, block } = compactWith(at.session(), { mod: true, hooks: true });
		expect([steering.length, block]).toEqual([1, null]);
		const answer = append()!;
		expect(answer.block).toMatch(/^ccg recovery precompact_checkpoint_\d{8}_\d{6}: /);
		// as the hook injects it, which comes before the summary
		for (const part of ["no new dependencies", "Euro only"]) expect(answer.block).toContain(part);
		expect(answer.line).toMatch(/^ccg/);
		expect([at.send(preToolUse), append()]).toEqual([null, null]);
		expect(at.failures).toEqual([]);
	});

	test("the mod is gone in the middle: the next tool call brings the block, by the same claim", async () => {
		const transcript = at.session();
		compactWith(transcript, { mod: true, hooks: true });
		transcript.at(at.later(1)).boundary().summary().write(at.transcript);
		expect(readFileSync(at.stored.paths.followUpMarker, "utf8")).toBe("missed\n");
		at.env.CLAUDE_CODE_SESSION_ID = "s-1";
		const { out } = await at.launch("pre-tool-use", { hook_event_name: "PreToolUse" });
		expect(given(out, "PreToolUse")).toMatch(/^ccg recovery precompact_checkpoint_/);
		expect(append()?.block ?? null).toBeNull();
	});

	test("the mod could not save: the hooks do everything", () => {
		const { steering, block } = compactWith(at.session(), { mod: false, hooks: true });
		expect([steering.length, block?.slice(0, 12)]).toEqual([1, "ccg recovery"]);
		expect(append()?.block ?? null).toBeNull();
	});

	test("no hooks: the mod brings both parts, with the summary it was given", () => {
		compactWith(at.session(), { mod: true, hooks: false });
		const answer = append()!;
		expect(answer.block).toContain("Never touch src/legacy.");
		expect([existsSync(at.stored.paths.followUpMarker), readPending(at.stored)]).toEqual([false, null]);
	});
});
