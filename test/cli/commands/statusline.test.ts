import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { preview } from "../../../src/cli/acts/statusline.ts";
import { processIo, terminalGate } from "../../../src/cli/support/io.ts";
import { PART_NAMES } from "../../../src/core/pressure/status-format.ts";
import { SAMPLES } from "../../../src/core/pressure/status-samples.ts";
import { LAUNCHER, run } from "../../kit/sandbox.ts";
import { scratch } from "../../scratch-home.ts";

const ccg = (args: string[], env: Record<string, string> = {}) =>
	run([LAUNCHER, ...args], { env: { HOME: scratch("home"), ...env }, cwd: scratch() });

describe("preview", () => {
	test.each([20, 40, 56, 60, 80, 200])("at %i columns: every state, within the room", async (columns) => {
		const { code, out, err } = await ccg(["statusline", "preview", "--width", String(columns)]);
		expect({ code, err }).toEqual({ code: 0, err: "" });
		const lines = out.split("\n");
		expect(lines[0]).toBe(`format "full"; of ${columns} columns Claude Code leaves ${columns - 4}`);
		const shown = lines.filter((line) => line.startsWith("  "));
		expect(shown).toHaveLength(SAMPLES.length);
		for (const line of shown) expect(Bun.stringWidth(line)).toBeLessThanOrEqual(columns - 2);
	});
	test("another format, one state, as JSON", async () => {
		const { out } = await ccg([
			"statusline",
			"preview",
			"--format",
			"{zone}: {left:short}",
			"--zone",
			"flush",
			"--json",
		]);
		expect(JSON.parse(out)).toEqual({
			format: "{zone}: {left:short}",
			columns: 80,
			room: 76,
			states: [{ state: "flush", line: "flush: 36k left" }],
		});
	});
	test("the configuration and the padding count, and what does not fit is told", async () => {
		const home = scratch("home");
		for (const folder of [".claude-memory", ".claude"]) mkdirSync(join(home, folder));
		writeFileSync(join(home, ".claude/settings.json"), '{"statusLine":{"command":"x","padding":3}}');
		const path = join(home, ".claude-memory/config.json");
		writeFileSync(path, '{"statusLine":{"format":"bar","colours":{"calm":"purple"}},"nudge":{"x":1}}');
		const { out, err } = await ccg(["statusline", "preview", "--zone", "calm"], { HOME: home });
		expect(out.split("\n")).toEqual([
			'format "bar"; of 80 columns Claude Code leaves 70',
			"calm: compaction is far",
			"  ███░░░░░░░ 29% 117k left",
			"",
		]);
		expect(err).toMatch(
			/^ccg: config\.json: statusLine\.colours\.calm: "purple" is no colour; .*; the default counts\n$/,
		);
	});
	test.each([
		[["--format", "{lefft}"], /there is no part \{lefft\}; parts are model/],
		[["--format", "wide"], /presets are full, compact, bar/],
		[["--zone", "panic"], /states are calm, watch, flush/],
		[["--width", "0"], /whole number from 1/],
	])("%j ends 2 and says why", async (args, why) => {
		const { code, out, err } = await ccg(["statusline", "preview", ...args]);
		expect({ code, out }).toEqual({ code: 2, out: "" });
		expect(err).toMatch(why);
	});
});

describe("legend", () => {
	test.each([[["statusline", "legend"]]])("%j names every part", async (args) => {
		const { code, out, err } = await ccg(args);
		expect({ code, err }).toEqual({ code: 0, err: "" });
		for (const name of PART_NAMES) expect(out).toContain(`{${name}}`);
		expect(out).not.toContain("\u001b");
	});
	test("as JSON", async () => {
		const { signs, colours } = JSON.parse((await ccg(["statusline", "legend", "--json"])).out);
		expect(new Set(signs.map(({ part }: { part: string }) => part))).toEqual(new Set(PART_NAMES));
		expect(colours[0]).toEqual({ tone: "calm", colour: "green", meaning: expect.any(String) });
	});
});

test("what Claude Code runs stays what it was", async () => {
	expect(await run([LAUNCHER, "statusline"], { env: { HOME: scratch() }, cwd: scratch(), input: "{}" })).toMatchObject({
		code: 0,
		out: expect.stringContaining("ccg: no data"),
	});
	expect((await ccg(["statusline", "--help"])).out).toMatch(/Usage: \S*ccg statusline/);
});

describe("on a terminal with colours", () => {
	const coloured = (args: string[]) => ccg(args, { FORCE_COLOR: "1", TERM: "xterm-256color" });
	test.each([[["statusline", "preview"]], [["statusline", "legend"]]])(
		"%j: the colours pass the gate",
		async (args) => {
			const { code, out } = await coloured(args);
			expect(code).toBe(0);
			expect(out).not.toContain("\\u001b");
			expect(out).not.toContain("\u0000");
			expect(out).toContain("\u001b[32m");
			expect(Bun.stripANSI(out)).toBe((await ccg(args)).out);
		},
	);
	test("what others wrote is still shown, not obeyed", () => {
		const { paint, pass } = terminalGate(true);
		expect(pass(paint!("\u001b[31mred\u001b[0m", "green"))).toBe("\u001b[32m\\u001b[31mred\\u001b[0m\u001b[0m");
		expect(terminalGate(false).paint).toBeUndefined();
	});
});

test.each([0, undefined])("a terminal that reports %s columns counts as 80", (columns) => {
	const was = Object.getOwnPropertyDescriptor(process.stdout, "columns");
	Object.defineProperty(process.stdout, "columns", { value: columns, configurable: true });
	const lines: string[] = [];
	const home = scratch("home");
	const io = {
		...processIo(),
		env: { HOME: home, COLUMNS: "0" },
		columns: undefined,
		cwd: home,
		out: (line: string) => lines.push(line),
	};
	preview({ json: true }, io);
	if (was) Object.defineProperty(process.stdout, "columns", was);
	else Reflect.deleteProperty(process.stdout, "columns");
	expect(JSON.parse(lines.join("\n"))).toMatchObject({ columns: 80, room: 76 });
});
