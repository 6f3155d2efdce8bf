import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { logFailure } from "../../../src/store/failure-log.ts";
import { readLastUsage } from "../../../src/store/pressure/flags.ts";
import { changeCycle } from "../../../src/store/session/cycles.ts";
import { claimMarker, endCycleOf, markerState, setCommitted } from "../../kit/cycle.ts";
import { linesOf } from "../../kit/sandbox.ts";
import { DUE, statusHome } from "../../kit/status-home.ts";

let at = statusHome();
beforeEach(() => {
	at = statusHome();
});

// (how it is worded and what it gives up: test/core/pressure/status-text.test.ts)
test.each<[string, object, RegExp]>([
	["no usage yet", at.input(null), /^Sonnet 4\.6 —\/167k/],
	["more tokens than the reported window", at.input(250_000), /250k\/167k █{10} compaction due/],
	["a wrong window on a large model", at.input(250_000, { model: "claude-opus-4-7" }), /250k\/967k/],
	["a large window", at.input(50_000, { window: 1_000_000, model: "claude-opus-5-5" }), /50k\/967k/],
	["no model", { session_id: "s-1" }, /^ccg: no data$/],
	["control characters in the name", at.input(1_000, { name: "So\u001b[31mn\nnet" }), /^So\[31mn net 1k\/167k/],
])("it says: %s", async (_, value, expected) => expect(await at.line(value)).toMatch(expected));

test("the cycle, and a failed hook, also behind those of other sessions", async () => {
	await at.line(at.input(DUE));
	expect(await at.line(at.input(DUE))).toContain("● save due");
	claimMarker(at.stored, DUE);
	logFailure(at.store, "stop", "it broke", "s-1");
	for (let n = 0; n < 100; n++) logFailure(at.store, "stop", "x".repeat(250), "s-2");
	expect(await at.line(at.input(DUE))).toMatch(/✓ nudged.*⚠ hook failed: ccg doctor/);
});

test("a measurement is kept for ccg status, a subagent's is not", async () => {
	await at.line({ ...at.input(50_000), agent_id: "a1" });
	expect(readLastUsage(at.stored)).toBeNull();
	// named relative to the folder of the start (hooks in the real client: test/e2e/config-folder.test.ts)
	await at.line({ ...at.input(50_000), transcript_path: "cfg/s-1.jsonl", cwd: join(at.home, "sub") });
	const kept = { tokens: 50_000, trigger: 167_000, source: "status line" };
	expect(readLastUsage(at.stored)).toMatchObject({ ...kept, transcriptPath: join(at.home, "cfg/s-1.jsonl") });
	expect(linesOf(at.stored.paths.statusLine).join()).toContain("50k");
});

describe("when the marker drops", () => {
	test.each<[string, object, Record<string, string>]>([
		["auto-compaction off", {}, { DISABLE_AUTO_COMPACT: "1" }],
		["nudge off", { nudge: { wording: "off" } }, {}],
	])("never: %s", async (_, config, env) => {
		at.configure(config);
		await at.line(at.input(150_000), env);
		expect(markerState(at.stored)).toBe("none");
	});

	test("once per cycle; a new one when the context shrank to half", async () => {
		const stateAt = async (tokens: number | null) => {
			await at.line(at.input(tokens));
			return markerState(at.stored);
		};
		// 37,000 before the trigger
		expect(await stateAt(130_000)).toBe("marker");
		claimMarker(at.stored, DUE);
		for (const tokens of [150_000, null, 65_500]) expect(await stateAt(tokens)).toBe("nudged");
		expect(await stateAt(65_499)).toBe("none");
		expect(await stateAt(DUE)).toBe("marker");
	});
});

test.each([
	[undefined, 0],
	[2.7, 2],
	[1e9, 1e9],
])("the line leaves room for a padding of %s", async (padding, counts) => {
	mkdirSync(join(at.home, ".claude"));
	writeFileSync(join(at.home, ".claude", "settings.json"), JSON.stringify({ statusLine: { command: "x", padding } }));
	for (const columns of [20, 80]) {
		const text = await at.line(at.input(DUE), { COLUMNS: String(columns) });
		expect(Bun.stringWidth(text)).toBeLessThanOrEqual(Math.max(1, columns - 4 - 2 * counts));
	}
});

test("a measurement of before the compaction drops no marker behind it; the next number does", async () => {
	await at.line(at.input(DUE));
	setCommitted(at.stored, { key: "precompact_checkpoint_1", at: new Date().toISOString(), trigger: "auto" });
	endCycleOf(at.stored);
	for (let i = 0; i < 2; i++) expect(await at.line(at.input(DUE))).not.toContain("save due");
	expect(markerState(at.stored)).toBe("none");
	await at.line(at.input(null));
	expect(await at.line(at.input(DUE + 1))).toContain("● save due");
});

test("a good moment is told while the context is as large as when the turn ended", async () => {
	const endTurn = (moment?: number) => changeCycle(at.stored, (cycle) => void Object.assign(cycle, { moment }));
	endTurn(120_000);
	expect(await at.line(at.input(120_000))).toContain("good moment to /compact: committed and nothing open");
	expect(await at.line(at.input(120_000), { COLUMNS: "62" })).toMatch(/good moment to \/compact(?!:)|\/compact now/);
	expect(await at.line(at.input(120_500))).not.toContain("/compact");
	endTurn();
	expect(await at.line(at.input(120_000))).not.toContain("/compact");
});

test("two answers beyond the trigger raise it to the whole window's, and the next cycle may nudge again; one does not", async () => {
	const env = { CLAUDE_CODE_AUTO_COMPACT_WINDOW: "100000" };
	const line = async (tokens: number) => await at.line(at.input(tokens), env);
	expect(await line(60_000)).toContain("● save due");
	claimMarker(at.stored, 60_000);
	for (let i = 0; i < 2; i++) expect(await line(67_500)).toContain("compaction due");
	expect(await line(68_000)).toContain("68k/167k");
	expect(await line(68_000)).not.toContain("save due");
	// it stays so, whatever comes, until the next compaction
	await at.line(at.input(null), env);
	expect(await line(66_000)).toContain("66k/167k");
	for (const tokens of [67_500, 66_000, 69_000]) expect(await line(tokens)).not.toMatch(/save due|nudged/);
	expect(await line(140_000)).toContain("27k to compaction ● save due");
	// it holds for the trigger that was passed
	expect(await at.line(at.input(110_000), { CLAUDE_CODE_AUTO_COMPACT_WINDOW: "150000" })).toContain("110k/117k");
	setCommitted(at.stored, { key: "precompact_checkpoint_1", at: new Date().toISOString(), trigger: "auto" });
	endCycleOf(at.stored);
	expect(await line(67_500)).toContain("compaction due");
});

test("a whole window's trigger is not put off: nobody is told anew", async () => {
	await at.line(at.input(DUE));
	claimMarker(at.stored, DUE);
	for (const tokens of [168_000, 169_000]) expect(await at.line(at.input(tokens))).toContain("compaction due ✓ nudged");
});

test("the percent rule goes by the window in force", async () => {
	mkdirSync(at.store, { recursive: true });
	writeFileSync(join(at.store, "config.json"), '{"marker":{"rule":"percent","percent":65}}');
	const env = { CLAUDE_CODE_AUTO_COMPACT_WINDOW: "100000" };
	for (const tokens of [67_500, 68_000]) await at.line(at.input(tokens), env);
	expect(await at.line(at.input(129_000), env)).not.toContain("save due");
	expect(await at.line(at.input(131_000), env)).toContain("save due");
});

test("it counts this session's compactions", async () => {
	for (const n of [1, 2])
		setCommitted(at.stored, { key: `precompact_checkpoint_${n}`, at: "2026-01-01T00:00:00.000Z", trigger: "auto" });
	expect(await at.line(at.input(20_000))).toContain("2 compactions");
	expect(await at.line(at.input(20_000), { COLUMNS: "48" })).toContain(" 2×");
});

test.each([
	[true, "5m", 45, /cache 4[56]s/],
	[true, "5m", 200, null],
	[true, "1h", 200, /cache 3m/],
	[true, "5m", -1, null],
	[false, "5m", 45, null],
])("the cache's clock, on: %s, of %s with %i s left: %s", async (cacheClock, ttl, seconds, shown) => {
	at.configure({ statusLine: { cacheClock } });
	const cache = { ttl, expires_at: Math.floor(Date.now() / 1000) + seconds + 1 };
	const line = await at.line({ ...at.input(20_000), prompt_cache: cache });
	expect(line).toMatch(shown ?? /^(?!.*cache )/);
});
