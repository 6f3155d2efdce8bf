import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { pressureOf } from "../../../src/core/pressure/pressure.ts";
import { colourProblem } from "../../../src/core/pressure/status-colours.ts";
import { formatProblem, PART_NAMES, PRESETS } from "../../../src/core/pressure/status-format.ts";
import { SAMPLES } from "../../../src/core/pressure/status-legend.ts";
import { displayWidth, type StatusFacts } from "../../../src/core/pressure/status-parts.ts";
import { DEFAULT_LOOK, statusRoom, statusText } from "../../../src/core/pressure/status-text.ts";
import { DEFAULT_CONFIG } from "../../../src/store/config/config.ts";

const plain = (text: string): string => text.replace(/\u001b\[[\d;]*m/g, "");
const line = (facts: StatusFacts, columns: number, format = "full"): string =>
	statusText(facts, columns, false, { ...DEFAULT_LOOK, format });
const sample = (name: string): StatusFacts => SAMPLES.find((one) => one.name === name)!.facts;

const EVERYTHING = PART_NAMES.map((name) => `{${name}}`).join(" ");
const FORMATS = [...Object.keys(PRESETS), EVERYTHING, "{bar} {left} {zone} {saved} {task} {guard} {model} {branch}"];
const WIDTHS = [20, 30, 40, 60, 80, 120, 200];

describe.each(FORMATS)("format %s", (format) => {
	test.each(WIDTHS)("in a terminal of %i columns: within the room, the signal whole", (columns) => {
		const room = statusRoom(columns, 0);
		for (const { name, facts } of SAMPLES) {
			const text = line(facts, room, format);
			const where = `${name}: ${text}`;
			expect(displayWidth(text), where).toBeLessThanOrEqual(room);
			// names may be cut, nothing else
			expect(text.replace(/task: .*?…/, ""), where).not.toContain("…");
			expect(plain(statusText(facts, room, true, { ...DEFAULT_LOOK, format })), where).toBe(text);
			const { pressure } = facts;
			const left = `${Math.round(pressure!.distance! / 1000)}k`;
			const whole =
				pressure!.tokens === null ? /—\/167k|\(not / : new RegExp(`\\b${pressure!.tokens / 1000}k/167k|\\b${left} `);
			expect(text, where).toMatch(whole);
			if (facts.guard) expect(text, where).toContain("■ held");
		}
	});
	test("the wider, the more", () => {
		for (const { facts } of SAMPLES) {
			const lengths = WIDTHS.map((columns) => displayWidth(line(facts, columns, format)));
			expect(lengths).toEqual(lengths.toSorted((a, b) => a - b));
		}
	});
});

test("what is given up, in order", () => {
	const facts = { ...sample("enforced"), cycle: "marker", failureMs: 1 } as const;
	const shown = [76, 60, 50, 40, 36, 26, 16].map((columns) => line(facts, columns));
	expect(shown).toEqual([
		"161k/167k ████░ 6k left ■ held ● save due saved 14:03 ⚠ hook failed",
		"161k/167k 6k left ■ held ● save saved 14:03 ⚠ hook failed",
		"161k/167k 6k left ■ held saved 14:03 ⚠ hook failed",
		"161k/167k 6k left ■ held ⚠ hook failed",
		"161k/167k ■ held ⚠ hook failed",
		"161k/167k ■ held ⚠",
		"161k/167k ■ held",
	]);
});

describe("widths are those of a terminal", () => {
	const WIDE = [
		["CJK", "模型模型模型模型模型模型"],
		["emoji", "🚀🚀🚀🚀🚀🚀🚀🚀"],
		["skin tones and families", "👍🏽👩‍👩‍👧‍👦👍🏽👩‍👩‍👧‍👦"],
		["flags", "🇩🇪🇫🇷🇯🇵🇩🇪🇫🇷🇯🇵"],
		["combining marks", `e${"\u0301".repeat(300)}`],
		["Hangul", "한국어모델이름한국어모델이름"],
		["full width", "ＯｐｕｓＯｐｕｓＯｐｕｓ"],
	];
	test.each(WIDE)("%s", (_, name) => {
		for (let columns = 1; columns < 90; columns++) {
			const facts = { ...sample("flush"), modelName: name, branch: name, session: name, task: name };
			for (const format of FORMATS) expect(displayWidth(line(facts, columns, format))).toBeLessThanOrEqual(columns);
		}
	});
	test("a name alone is cut between characters", () => {
		expect(line({ ...sample("calm"), modelName: "模型模型" }, 6, "{model}")).toBe("模型…");
	});
});

describe("names of others are one line of visible text", () => {
	const HOSTILE = [
		"a\nb\r\nc\u2028d\u2029e",
		"\u001b[31mred\u001b[0m \u001b]0;title\u0007\u001b]8;;http://x.invalid\u001b\\link",
		"\u009b31mc1\u0085",
		"\u202egnp.exe\u202c \u2066iso\u2069",
		"zero\u200bwidth\u200djoined\ufeff\u00ad",
		"tag\u{e0041}\u{e0042} \u{e0100}",
		"\u0007\b\b\b\u0000nul\u007f",
		"\ud800lone",
		"x".repeat(100_000),
	];
	test.each(HOSTILE)("%j", (name) => {
		const facts = { ...sample("calm"), modelName: name, branch: name, session: name, task: name };
		for (const columns of [0, 16, 76, 200]) {
			const text = line(facts, columns, EVERYTHING);
			expect(text).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u);
			expect(text).toContain("50k/167k");
			expect(text.length).toBeLessThan(500);
		}
	});
});

describe("templates", () => {
	const CASES: [string, string, string][] = [
		["text of one's own", "ctx {left:short}", "ctx 117k left"],
		["several parts in a word", "[{model}] {percent}/{left:short}", "[Opus 5.5] 29%/117k left"],
		["a separator between", "{model} | {zone}", "Opus 5.5 | calm"],
		["a separator goes with what is not there", "{model} | {guard} | {zone}", "Opus 5.5 | calm"],
		["none at the ends", "| {guard} {zone} |", "calm"],
		["a label goes with its part", "guard: {guard} zone: {zone}", "zone: calm"],
		["a word whose parts say nothing", "({guard}) {zone}", "calm"],
		["nothing to say at all", "{guard} {saved}", "ccg"],
	];
	test.each(CASES)("%s", (_, format, expected) => expect(line(sample("calm"), 0, format)).toBe(expected));
});

test("any facts in any template at any width", () => {
	const word = fc.oneof(
		fc.constantFrom(...PART_NAMES.map((name) => `{${name}}`), "{left:short}", "|", "ctx"),
		fc.string(),
	);
	const template = fc.array(word, { maxLength: 8 }).map((words) => words.join(" "));
	fc.assert(
		fc.property(
			template,
			fc.integer({ min: 1, max: 120 }),
			fc.constantFrom(...SAMPLES),
			fc.string(),
			(format, columns, { facts }, name) => {
				const text = line({ ...facts, modelName: name, branch: name }, columns, format);
				expect(displayWidth(text)).toBeLessThanOrEqual(Math.max(3, columns));
				expect(text).not.toMatch(/[\n\r\u001b]/);
			},
		),
	);
});

test("colours of one's own; none paints nothing", () => {
	const colours = { ...DEFAULT_LOOK.colours, calm: "#0080ff", quiet: "none", watch: "208", told: "bright-magenta" };
	const painted = (name: string, format: string) =>
		statusText(sample(name), 0, true, { ...DEFAULT_LOOK, format, colours });
	expect(painted("calm", "{model} {zone}")).toBe("Opus 5.5 \u001b[38;2;0;128;255mcalm\u001b[0m");
	expect(painted("watch", "{zone}")).toBe("\u001b[38;5;208mwatch\u001b[0m");
	expect(painted("nudged", "{cycle}")).toBe("\u001b[95m✓ nudged\u001b[0m");
});

const BASE = { modelName: "Opus 5.5", cycle: "none", saved: null, failureMs: null } as const;
const pressed = (tokens: number | null, trigger: number | null = 167_000) =>
	pressureOf(tokens, { tokens: trigger, window: 200_000, why: "formula" }, DEFAULT_CONFIG.marker);
const pressure = pressed(133_000);

test.each<[string, Parameters<typeof statusText>[0], string]>([
	["near", { ...BASE, pressure, cycle: "marker" }, "Opus 5.5 133k/167k ████████░░ 34k to compaction ● save due"],
	[
		"nudged and saved",
		{ ...BASE, pressure, cycle: "nudged", saved: "14:03" },
		"Opus 5.5 133k/167k ████████░░ 34k to compaction ✓ nudged saved 14:03",
	],
	["beyond", { ...BASE, pressure: pressed(170_000) }, "Opus 5.5 170k/167k ██████████ compaction due"],
	["unknown tokens", { ...BASE, pressure: pressed(null) }, "Opus 5.5 —/167k (not measured yet)"],
	[
		"off",
		{ ...BASE, pressure: { ...pressed(5_000, null), why: "auto-compaction is off" } },
		"Opus 5.5 5k/200k (auto-compact off)",
	],
	[
		"failed",
		{ ...BASE, pressure, failureMs: 1_000 },
		"Opus 5.5 133k/167k ████████░░ 34k to compaction ⚠ hook failed: ccg doctor",
	],
	["failed long ago", { ...BASE, pressure: null, failureMs: 7 * 3600_000 }, "Opus 5.5 ccg: no data"],
	[
		"a name with control characters",
		{ ...BASE, pressure: null, modelName: "O\u001b[31mpus\n" },
		"O[31mpus ccg: no data",
	],
])("status line: %s", (_, facts, line) => {
	expect(statusText(facts, 0, false)).toBe(line);
});

test.each([
	["{lefft}", /^there is no part \{lefft\}; parts are model, tokens, /],
	["{}", /^there is no part \{\}/],
	["{left:long}", /a brace must belong to a part/],
	["{left", /a brace must belong to a part/],
	["{left} }", /a brace must belong to a part/],
	["wide", /^"wide" is no preset and names no part; presets are full, compact, bar/],
	["", /names no part/],
	["{left}\n{bar}", /one line of visible characters/],
	["{left}\u001b[31m", /one line of visible characters/],
	["{left}\u202e", /one line of visible characters/],
	["{left}".repeat(60), /300 characters at most/],
	["constructor", /no preset/],
])("format %j is refused", (format, problem) => expect(formatProblem(format)).toMatch(problem));

test.each(["full", "compact", "bar", "{left}", "a {left:short}|{bar} ö"])("format %j is taken", (format) =>
	expect(formatProblem(format)).toBeNull(),
);

test.each(["none", "dim", "bold", "red", "bright-white", "0", "255", "#00fFa0"])("%s is a colour", (colour) =>
	expect(colourProblem(colour)).toBeNull(),
);
test.each(["256", "-1", "purple", "bright-dim", "#fff", "31m", "", "1;5", "constructor"])("%j is none", (colour) =>
	expect(colourProblem(colour)).toMatch(/is no colour; colours are none, dim/),
);
