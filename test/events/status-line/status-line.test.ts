import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { logFailure } from "../../../src/store/failure-log.ts";
import { readUsage } from "../../../src/store/pressure/flags.ts";
import { claimMarker, commitPending, endCycleOf, markerState, setPending } from "../../kit/cycle.ts";
import { DUE, statusHome } from "../../kit/status-home.ts";

let at = statusHome();
beforeEach(() => {
	at = statusHome();
});

describe("what it says", () => {
	const cases: [string, object, RegExp][] = [
		["no usage yet", at.input(null), /^Sonnet 4\.6 —\/167k/],
		["beyond the trigger", at.input(170_000), /170k\/167k █{10} compaction due/],
		["more tokens than the reported window", at.input(250_000), /250k\/167k █{10} compaction due/],
		["a wrong window on a large model", at.input(250_000, { model: "claude-opus-4-7" }), /250k\/967k/],
		["a large window", at.input(50_000, { window: 1_000_000, model: "claude-opus-5-5" }), /50k\/967k/],
		["no model", { session_id: "s-1" }, /^ccg: no data$/],
		["nothing", {}, /^ccg: no data$/],
		["control characters in the name", at.input(1_000, { name: "So\u001b[31mn\nnet" }), /^So\[31mn net 1k\/167k/],
	];
	test.each(cases)("%s", async (_, value, expected) => expect(await at.line(value)).toMatch(expected));

	test("the cycle, a failed hook", async () => {
		await at.line(at.input(DUE));
		expect(await at.line(at.input(DUE))).toContain("● save due");
		claimMarker(at.stored, DUE);
		logFailure(at.store, "stop", "it broke", "s-1");
		const text = await at.line(at.input(DUE));
		for (const part of ["✓ nudged", "⚠ hook failed: ccg doctor"]) expect(text).toContain(part);
	});

	test("a failed hook behind those of other sessions", async () => {
		const { root } = at.stored;
		logFailure(root, "stop", "it broke", "s-1");
		for (let n = 0; n < 100; n++) logFailure(root, "stop", "x".repeat(250), "s-2");
		expect(await at.line(at.input(1_000))).toContain("⚠ hook failed");
	});

	test("a measurement is kept for ccg status, a subagent's is not", async () => {
		await at.line({ ...at.input(50_000), agent_id: "a1" });
		expect(readUsage(at.stored)).toBeNull();
		await at.line(at.input(50_000));
		expect(readUsage(at.stored)).toMatchObject({
			tokens: 50_000,
			trigger: 167_000,
			source: "status line",
		});
		expect(readFileSync(at.stored.paths.statusLine, "utf8")).toContain("50k");
	});
});

describe("when the marker drops", () => {
	test.each<[string, number | null, boolean, object?, Record<string, string>?]>([
		["37,000 before the trigger", 130_000, true],
		["auto-compaction off", 190_000, false, {}, { DISABLE_AUTO_COMPACT: "1" }],
		["nudge off", 190_000, false, { nudge: { wording: "off" } }],
	])("%s", async (_, tokens, due, config = {}, env = {}) => {
		at.configure(config);
		await at.line(at.input(tokens), env);
		expect(markerState(at.stored)).toBe(due ? "marker" : "none");
	});

	test("once per cycle; a new one when the context shrank to half", async () => {
		await at.line(at.input(DUE));
		claimMarker(at.stored, DUE);
		await at.line(at.input(150_000));
		expect(markerState(at.stored)).toBe("nudged");
		await at.line(at.input(null));
		await at.line(at.input(65_500));
		expect(markerState(at.stored)).toBe("nudged");
		await at.line(at.input(65_499));
		expect(markerState(at.stored)).toBe("none");
		await at.line(at.input(DUE));
		expect(markerState(at.stored)).toBe("marker");
	});
});

test.each([
	[undefined, 0],
	[2.7, 2],
	[1e9, 1e9],
])("the line leaves room for a padding of %s", async (padding, counts) => {
	mkdirSync(join(at.home, ".claude"));
	writeFileSync(join(at.home, ".claude", "settings.json"), JSON.stringify({ statusLine: { command: "x", padding } }));
	for (const columns of [20, 44, 80]) {
		const text = await at.line(at.input(DUE), { COLUMNS: String(columns) });
		expect(Bun.stringWidth(text)).toBeLessThanOrEqual(Math.max(1, columns - 4 - 2 * counts));
	}
});

test("a measurement of before the compaction drops no marker behind it; the next number does", async () => {
	await at.line(at.input(DUE));
	setPending(at.stored, {
		key: "precompact_checkpoint_20260101_000000",
		at: new Date().toISOString(),
		trigger: "auto",
	});
	commitPending(at.stored);
	endCycleOf(at.stored);
	for (let i = 0; i < 2; i++) expect(await at.line(at.input(DUE))).not.toContain("save due");
	expect(markerState(at.stored)).toBe("none");
	await at.line(at.input(null));
	expect(await at.line(at.input(DUE + 1))).toContain("● save due");
});
