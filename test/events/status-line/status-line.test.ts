import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { beforeEach, describe, expect, test } from "vitest";
import { statusLine } from "../../../src/events/status-line/status-line.ts";
import { sessionPaths } from "../../../src/store/paths.ts";
import { claimMarker, dropMarker, markerState } from "../../../src/store/pressure/marker.ts";
import { readUsage } from "../../../src/store/pressure/usage-record.ts";
import { sessionAt } from "../../../src/store/session-handle.ts";
import { bytes, DUE, statusHome } from "../../kit/status-home.ts";
import { storeAt } from "../../kit/store.ts";

let at = statusHome();
beforeEach(() => {
	at = statusHome();
});

const plain = (text: string): string => text.replace(/\u001b\[[0-9;]*m/g, "");

describe("what it says", () => {
	const cases: [string, object, RegExp][] = [
		["no usage yet", at.input(null), /^Sonnet 4\.6 —\/167k/],
		["some", at.input(50_000), /^Sonnet 4\.6 50k\/167k █+░+ 117k to compaction$/],
		["beyond the trigger", at.input(170_000), /170k\/167k █{10} compaction due/],
		["more tokens than the reported window", at.input(250_000), /250k\/167k █{10} compaction due/],
		["a wrong window on a large model", at.input(250_000, { model: "claude-opus-4-7" }), /250k\/967k/],
		["a large window", at.input(50_000, { window: 1_000_000, model: "claude-opus-5-5" }), /50k\/967k/],
		["no model", { session_id: "s-1" }, /^ccg: no data$/],
		["nothing", {}, /^ccg: no data$/],
		["control characters in the name", at.input(1_000, { name: "So\u001b[31mn\nnet" }), /^So\[31mnnet 1k\/167k/],
	];
	test.each(cases)("%s", async (_, value, expected) => expect(await at.line(value)).toMatch(expected));

	test("the cycle, the checkpoint, a failed hook", async () => {
		await at.line(at.input(DUE));
		expect(await at.line(at.input(DUE))).toContain("● save due");
		claimMarker(sessionAt(storeAt(at.store), "s-1"), 60_000, new Date());
		writeFileSync(sessionPaths(at.store, "s-1").latest, "precompact_checkpoint_1\n");
		writeFileSync(sessionPaths(at.store, "s-1").failure, "{}");
		const text = await at.line(at.input(DUE));
		for (const part of ["✓ nudged", "⚠ hook failed: ccg doctor"]) expect(text).toContain(part);
		expect(text).toMatch(/ saved \d\d:\d\d /);
	});

	test("a measurement is kept for ccg status, a subagent's is not", async () => {
		await at.line({ ...at.input(50_000), agent_id: "a1" });
		expect(readUsage(sessionAt(storeAt(at.store), "s-1"))).toBeNull();
		await at.line(at.input(50_000));
		expect(readUsage(sessionAt(storeAt(at.store), "s-1"))).toMatchObject({
			tokens: 50_000,
			trigger: 167_000,
			source: "status line",
		});
		expect(existsSync(sessionPaths(at.store, "s-1").statusLineSeen)).toBe(true);
	});
});

describe("width and colour", () => {
	const everything = async (columns: string, more: Record<string, string>) => {
		dropMarker(sessionAt(storeAt(at.store), "s-1"), {
			at: new Date().toISOString(),
			tokens: DUE,
			distance: 1,
			trigger: 167_000,
		});
		mkdirSync(sessionPaths(at.store, "s-1").folder, { recursive: true });
		for (const path of [sessionPaths(at.store, "s-1").latest, sessionPaths(at.store, "s-1").failure])
			writeFileSync(path, "x");
		return statusLine(
			bytes(at.input(DUE, { name: "A Model With A Very Long Name Indeed 4.6" })),
			{ HOME: at.home, COLUMNS: columns, ...more },
			null,
		);
	};
	test.each([1, 5, 10, 20, 30, 40, 60, 80, 120, 200])("never wider than %i columns", async (columns) => {
		for (const more of [{}, { NO_COLOR: "1" }] as Record<string, string>[]) {
			const text = plain(await everything(String(columns), more));
			expect([...text].length).toBeLessThanOrEqual(columns);
			expect(text).not.toBe("");
		}
	});
	test("the wider, the more; the tokens always", async () => {
		const texts = await Promise.all(
			["20", "40", "80", "200"].map(async (columns) => plain(await everything(columns, {}))),
		);
		for (const text of texts) expect(text).toContain("131k/167k");
		expect(texts.map((text) => text.length)).toEqual(texts.map((text) => text.length).toSorted((a, b) => a - b));
		expect(texts[1]).toContain("⚠ hook failed");
		expect(texts[3]).toContain("A Model With");
	});
	test.each(["", "0", "wide", "-5"])("COLUMNS %j is no limit", async (columns) =>
		expect(plain(await everything(columns, {})).length).toBeGreaterThan(80),
	);
	test("colours only without NO_COLOR", async () => {
		expect(await everything("80", {})).toContain("\u001b[");
		expect(await everything("80", { NO_COLOR: "1" })).not.toContain("\u001b");
	});
});

describe("when the marker drops", () => {
	interface Case {
		tokens: number | null;
		due: boolean;
		config?: object;
		env?: Record<string, string>;
		window?: number;
		model?: string;
	}
	const small = { CLAUDE_CODE_AUTO_COMPACT_WINDOW: "100000" }; // compaction at 67,000
	const roomy = { marker: { headroomTokens: 60_000 } };
	const percent = { marker: { rule: "percent", percent: 65 } };
	const cases: [string, Case][] = [
		["37,001 before the trigger", { tokens: 129_999, due: false }],
		["37,000 before the trigger", { tokens: 130_000, due: true }],
		["beyond it", { tokens: 190_000, due: true }],
		["unknown", { tokens: null, due: false }],
		["a window of 100,000: 37,000 before 67,000", { tokens: 29_999, due: false, env: small }],
		["a window of 100,000: from 30,000", { tokens: 30_000, due: true, env: small }],
		["not before 40% of the trigger", { tokens: 26_799, due: false, env: small, config: roomy }],
		["from 40% of the trigger", { tokens: 26_800, due: true, env: small, config: roomy }],
		["percent: 65%", { tokens: 130_000, due: false, config: percent }],
		["percent: above 65%", { tokens: 130_001, due: true, config: percent }],
		[
			"percent: in a large window",
			{ tokens: 650_000, due: false, config: percent, window: 1_000_000, model: "claude-opus-5-5" },
		],
		[
			"percent: above, in a large window",
			{ tokens: 650_001, due: true, config: percent, window: 1_000_000, model: "claude-opus-5-5" },
		],
		["auto-compaction off", { tokens: 190_000, due: false, env: { DISABLE_AUTO_COMPACT: "1" } }],
		["nudge off", { tokens: 190_000, due: false, config: { nudge: { wording: "off" } } }],
	];
	test.each(cases)("%s", async (_, { tokens, due, config, env: extra, window, model }) => {
		if (config) at.configure(config);
		await at.line(at.input(tokens, { window, model }), extra);
		expect(markerState(sessionAt(storeAt(at.store), "s-1"))).toBe(due ? "marker" : "none");
	});

	test("once per cycle; a new one when the context shrank to half", async () => {
		await at.line(at.input(DUE));
		claimMarker(sessionAt(storeAt(at.store), "s-1"), 60_000, new Date());
		await at.line(at.input(150_000));
		expect(markerState(sessionAt(storeAt(at.store), "s-1"))).toBe("nudged");
		await at.line(at.input(null));
		await at.line(at.input(65_500));
		expect(markerState(sessionAt(storeAt(at.store), "s-1"))).toBe("nudged");
		await at.line(at.input(65_499));
		expect(markerState(sessionAt(storeAt(at.store), "s-1"))).toBe("none");
		await at.line(at.input(DUE));
		expect(markerState(sessionAt(storeAt(at.store), "s-1"))).toBe("marker");
	});
});
