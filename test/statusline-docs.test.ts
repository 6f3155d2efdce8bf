import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { DEFAULT_COLOURS, TONES } from "../src/core/pressure/status-colours.ts";
import { PART_NAMES, PRESETS } from "../src/core/pressure/status-format.ts";
import { SIGNS, TONE_MEANINGS } from "../src/core/pressure/status-legend.ts";
import { SAMPLES } from "../src/core/pressure/status-samples.ts";
import { DEFAULT_LOOK, statusText } from "../src/core/pressure/status-text.ts";

const DOCS = join(resolve(import.meta.dirname, ".."), "docs");
const text = readFileSync(join(DOCS, "statusline.md"), "utf8");

test("docs/statusline.md has every sign, every colour, every preset", () => {
	for (const { part, sign, meaning } of SIGNS) expect(text).toContain(`| \`{${part}}\` | \`${sign}\` | ${meaning} |`);
	for (const tone of TONES)
		expect(text).toContain(`| \`${tone}\` | ${DEFAULT_COLOURS[tone]} | ${TONE_MEANINGS[tone]} |`);
	for (const [name, template] of Object.entries(PRESETS)) expect(text).toContain(`| \`${name}\` | \`${template}\` |`);
});

test("the legend has every part, and every sign the samples show", () => {
	expect(new Set(SIGNS.map(({ part }) => part))).toEqual(new Set(PART_NAMES));
	const known = SIGNS.map(({ sign }) => sign).join(" ");
	for (const { facts } of SAMPLES) {
		const line = statusText(facts, 0, false, { ...DEFAULT_LOOK, format: "{left} {guard} {cycle} {saved} {failure}" });
		for (const sign of line.match(/[^\p{L}\p{N}\s.:/()-]/gu) ?? []) expect(known).toContain(sign);
	}
});

test("the pictures: five, small, shown in the docs, with nothing of a machine in them", () => {
	const names = readdirSync(join(DOCS, "pictures")).filter((name) => name.startsWith("statusline-"));
	expect(names.sort()).toEqual([40, 56, 60, 80, 200].map((columns) => `statusline-${columns}.svg`).sort());
	for (const name of names) {
		const path = join(DOCS, "pictures", name);
		expect(statSync(path).size).toBeLessThan(30_000);
		expect(text).toContain(`(pictures/${name})`);
		expect(readFileSync(path, "utf8").replace("http://www.w3.org/2000/svg", "")).not.toMatch(/\/\w+\/|https?:/);
	}
});
