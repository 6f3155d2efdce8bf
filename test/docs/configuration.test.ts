import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { BUILT_IN, DEFAULT_CONFIG } from "../../src/core/config/config.ts";

const read = (name: string): string =>
	readFileSync(join(resolve(import.meta.dirname, "../.."), "docs", `${name}.md`), "utf8");

test("each key is told with its default, and no other key", () => {
	const told = [...read("reference").matchAll(/^- `([\w.]+\.[\w.]+)` = `(.*?)`: ./gm)];
	expect(Object.fromEntries(told.map(([, key, value]) => [key!, value!]))).toEqual(keys(DEFAULT_CONFIG));
});

test("the built-in profiles are named", () => {
	for (const name of Object.keys(BUILT_IN)) expect(read("guide")).toContain(`\`${name}\``);
});

/** Every key with its value. */
function keys(value: object, before = ""): Record<string, string> {
	const entries = Object.entries(value).flatMap(([key, inner]) => {
		const name = before + key;
		if (typeof inner === "object") return Object.entries(keys(inner, `${name}.`));
		return [[name, JSON.stringify(inner)]];
	});
	return Object.fromEntries(entries);
}
