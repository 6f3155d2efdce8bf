import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { PART_NAMES } from "../src/core/pressure/status-format.ts";
import { SAMPLES, SIGNS } from "../src/core/pressure/status-legend.ts";
import { DEFAULT_LOOK, statusText } from "../src/core/pressure/status-text.ts";

const DOCS = join(resolve(import.meta.dirname, ".."), "docs");
const text = readFileSync(join(DOCS, "reference.md"), "utf8");

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
