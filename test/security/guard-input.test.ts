import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { changeCycle } from "../../src/store/session/cycles.ts";
import { sessionAt } from "../../src/store/session-handle.ts";
import { hook } from "../kit/sandbox.ts";
import { storeAt } from "../kit/store.ts";
import { isDenied, stopped } from "./guard-fixture.ts";

describe("inputs that are not parsed", () => {
	const big = (mb: number): string => "x".repeat(mb * 1024 * 1024);
	const call = { hook_event_name: "PreToolUse", permission_mode: "default", effort: { level: "high" } };

	test.each([
		["Write", { file_path: "/tmp/x", content: big(5) }],
		["Bash", { command: `touch x # ${big(4.2)}` }],
		["Edit", { file_path: "/tmp/x", old_string: "a", new_string: big(9) }],
		["mcp__x__y", { tool_name: "Read", session_id: "other", text: big(5) }],
		["Bash", { command: `touch x # ${big(1)}` }],
		["Bash", { command: `ls ${"a ".repeat(1_000_000)}` }],
		["Bash", { command: `${"$(".repeat(100_000)}touch x` }],
	])("%s with megabytes is held back", async (tool_name, tool_input) => {
		const at = stopped();
		const { out, code, ms } = await hook(at, "pre-tool-use", { ...call, tool_name, tool_input });
		expect(code).toBe(0);
		expect(out).toContain('"permissionDecision":"deny"');
		expect(ms).toBeLessThan(4_000);
	});

	test("a checkpoint does not let it through unseen", async () => {
		const at = stopped();
		changeCycle(sessionAt(storeAt(at.store), at.sid), (cycle) => {
			cycle.passAt = new Date().toISOString();
		});
		const fields = { ...call, tool_name: "Bash", tool_input: { command: `touch x # ${big(5)}` } };
		expect((await hook(at, "pre-tool-use", fields)).out).toContain('"permissionDecision":"deny"');
		expect(await isDenied(at, "Edit", { file_path: "/tmp/x" })).toBe(false);
	});

	test("nothing is held back where the gate only warns", async () => {
		const at = stopped();
		writeFileSync(join(at.store, "config.json"), JSON.stringify({ guard: { mode: "warn" } }));
		const fields = { ...call, tool_name: "Write", tool_input: { content: big(5) } };
		expect((await hook(at, "pre-tool-use", fields)).out).not.toContain("deny");
	});
});
