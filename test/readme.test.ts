import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { DEFAULT_CONFIG } from "../src/store/config/config.ts";

test("the README's configuration is the default one, whole", () => {
	const text = readFileSync(join(resolve(import.meta.dirname, ".."), "README.md"), "utf8");
	const shown = [...text.matchAll(/```json\n([\s\S]*?)```/g)].map(([, json]) => JSON.parse(json!));
	expect(shown).toEqual([DEFAULT_CONFIG]);
});
