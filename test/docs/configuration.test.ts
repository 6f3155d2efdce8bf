import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { DEFAULT_CONFIG } from "../../src/store/config/config.ts";
import { BUILT_IN } from "../../src/store/config/profiles.ts";

const text = readFileSync(join(resolve(import.meta.dirname, "../.."), "docs", "configuration.md"), "utf8");

test("the configuration shown is the default one, whole", () => {
	const shown = [...text.matchAll(/```json\n([\s\S]*?)```/g)].map(([, json]) => JSON.parse(json!));
	expect(shown).toEqual([DEFAULT_CONFIG]);
});

test("each key has a row with its default, and no row names another key", () => {
	const rows = [...text.matchAll(/^\| `([\w.]+\.[\w.]+)` \| (`[^`]*`|see above) \| ./gm)];
	const shown = Object.fromEntries(rows.map(([, key, value]) => [key!, value!]));
	expect(shown).toEqual({ ...keys(DEFAULT_CONFIG), "statusLine.colours": "see above" });
});

test("the built-in profiles are named", () => {
	for (const name of Object.keys(BUILT_IN)) expect(text).toContain(`- \`${name}\`: `);
});

/** Every key with its value as the table shows it; the colours are one row, docs/statusline.md has each. */
function keys(value: object, before = ""): Record<string, string> {
	const entries = Object.entries(value).flatMap(([key, inner]) => {
		const name = before + key;
		if (name === "statusLine.colours") return [];
		if (typeof inner === "object") return Object.entries(keys(inner, `${name}.`));
		return [[name, `\`${JSON.stringify(inner)}\``]];
	});
	return Object.fromEntries(entries);
}
