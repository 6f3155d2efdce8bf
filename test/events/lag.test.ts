import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { sessionPaths } from "../../src/store/paths.ts";
import { linesText, Transcript } from "../kit/events.ts";
import { hook, sandbox } from "../kit/sandbox.ts";

/** Claude Code writes the transcript behind its events: the lines of the last call come while the hook runs already. */
const LATE_MS = 90;

function fixture() {
	const at = sandbox("lag");
	const { project, transcript: path } = at;
	const whole = new Transcript(project)
		.typed("Build it.")
		.usage(20_000)
		.line("assistant", {
			message: {
				id: "msg_last",
				role: "assistant",
				model: "claude-sonnet-4-6",
				content: [{ type: "tool_use", id: "toolu_last", name: "Bash", input: { command: "make late-target" } }],
				usage: { input_tokens: 150_000, output_tokens: 1 },
			},
		})
		.line("user", {
			message: { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_last", content: "made" }] },
		}).lines;
	const written = whole.slice(0, 2);
	const late = whole.slice(2);
	writeFileSync(path, linesText(written));
	const write = (): void => appendFileSync(path, linesText(late));
	return { ...at, write };
}

const send = (at: ReturnType<typeof fixture>, name: string, fields: object) =>
	hook(at, name, fields, { env: { CLAUDE_CODE_AUTO_COMPACT_WINDOW: "200000" } });

const usageOf = (at: ReturnType<typeof fixture>) =>
	JSON.parse(readFileSync(sessionPaths(at.store, "s-1").pressure, "utf8")) as { tokens: number };

test.each([
	["PostToolBatch", { tool_calls: [{ tool_use_id: "toolu_last" }] }],
	["PostToolUse, where a version tells of one call only", { tool_name: "Bash", tool_use_id: "toolu_last" }],
])("%s measures the answer that made the calls, not the answer before", async (event, fields) => {
	const at = fixture();
	setTimeout(at.write, LATE_MS);
	await send(at, "post-tool-batch", { hook_event_name: event.split(",")[0], ...fields });
	expect(usageOf(at).tokens).toBe(150_000);
});

test("a call that never comes costs a bounded wait and is measured as the transcript stands", async () => {
	const at = fixture();
	const start = performance.now();
	await send(at, "post-tool-batch", { hook_event_name: "PostToolBatch", tool_calls: [{ tool_use_id: "toolu_never" }] });
	expect(usageOf(at).tokens).toBe(20_000);
	expect(performance.now() - start).toBeLessThan(3_000);
});
