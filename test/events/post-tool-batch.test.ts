import { appendFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { postToolBatch } from "../../src/events/post-tool-batch.ts";
import { readUsage } from "../../src/store/pressure/flags.ts";
import { markerState } from "../kit/cycle.ts";
import { linesText, Transcript } from "../kit/events.ts";
import { type EventSession, eventSession } from "../kit/services.ts";

const usageOf = ({ stored }: EventSession) => ({ ...readUsage(stored), marker: markerState(stored) });
const answer = (message: object, version = "2.1.329"): string =>
	JSON.stringify({ type: "assistant", version, message: { id: "m", role: "assistant", content: [], ...message } });

test("behind a boundary, before the next answer, the tokens are unknown again", () => {
	const at = eventSession();
	const transcript = new Transcript(at.project);
	transcript.usage(150_000).write(at.transcript);
	at.send(postToolBatch);
	transcript.boundary().summary().write(at.transcript);
	at.send(postToolBatch);
	expect(usageOf(at)).toMatchObject({ tokens: null, zone: "unknown" });
});

test("more tokens than a model's window prove its larger variant", () => {
	const at = eventSession();
	writeFileSync(at.transcript, `${answer({ model: "claude-opus-4-6", usage: { input_tokens: 300_000 } })}\n`);
	at.send(postToolBatch);
	expect(usageOf(at)).toMatchObject({ window: 1_000_000, zone: "calm", marker: "none" });
});

/** Claude Code writes the transcript behind its events: the lines of the last call come while the hook runs already. */
const LATE_MS = 90;

test.each([
	["toolu_last", 150_000],
	// one that never comes costs a bounded wait
	["toolu_never", 20_000],
])("the answer that made the call %s is measured: %i tokens", async (tool_use_id, tokens) => {
	const at = eventSession("lag");
	at.env.CLAUDE_CODE_AUTO_COMPACT_WINDOW = "200000";
	new Transcript(at.project).typed("Build it.").usage(20_000).write(at.transcript);
	const call = { type: "tool_use", id: "toolu_last", name: "Bash", input: { command: "make late-target" } };
	const usage = { input_tokens: 150_000, output_tokens: 1 };
	const late = answer({ id: "msg_last", model: "claude-sonnet-4-6", content: [call], usage });
	if (tokens > 20_000) setTimeout(() => appendFileSync(at.transcript, linesText([late])), LATE_MS);
	const start = performance.now();
	await at.launch("post-tool-batch", { hook_event_name: "PostToolUse", tool_name: "Bash", tool_use_id });
	expect(usageOf(at).tokens).toBe(tokens);
	expect(performance.now() - start).toBeLessThan(3_000);
});
