import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { REPO } from "./kit/sandbox.ts";

const DEFINED =
	/^(?:export )?(?:async )?function\*? (\w+)|^(?:export )?const (\w+)(?:: [^=\n]+)? = (?:async )?(?:<[^>]+>)?(?:\w+ =>|\()/gm;

test("a function's name is defined in one file of src", () => {
	const files = [...new Bun.Glob("src/**/*.ts").scanSync(REPO)];
	const names = files.flatMap((file) => {
		const found = readFileSync(join(REPO, file), "utf8").matchAll(DEFINED);
		return [...new Set([...found].map(([, name, constant]) => name ?? constant!))];
	});
	expect(names.length).toBeGreaterThan(1_000);
	expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([]);
});
