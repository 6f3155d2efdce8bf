import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { observedTriggersPath, sessionPaths } from "../../src/store/paths.ts";
import { recordTriggers } from "../../src/store/pressure/observed-triggers.ts";
import { writeUsage } from "../../src/store/pressure/usage-record.ts";
import { setPending } from "../../src/store/recovery/pending.ts";
import { sessionAt } from "../../src/store/session-handle.ts";
import { storeAt } from "../kit/store.ts";
import { listened, problems, put } from "../kit/store-problems.ts";
import { usage as usageRecord } from "../kit/usage.ts";
import { scratch } from "../scratch-home.ts";
import { AT, CASES, KEY } from "./kinds.ts";

describe.each(Object.entries(CASES))(
	"%s",
	(_, { file, read, whole, gives, wrong, aside = file, nothing = null, taken }) => {
		const version = { version: 1 };
		const spoiled: object[] = [
			whole,
			{ ...whole, version: 0 },
			...Object.keys(whole).map((name) => ({ ...version, ...whole, [name]: undefined })),
			...wrong.map((one) => ({ ...version, ...whole, ...one })),
		];

		test("a whole file is read", () => {
			const root = scratch();
			put(root, file, JSON.stringify({ ...version, ...whole }));
			expect(read(listened(root))).toEqual(gives ?? { ...version, ...whole });
			expect(problems).toEqual([]);
		});

		test.each(["", "{", "[]", "null", '{"version":"one"}', ...spoiled.map((one) => JSON.stringify(one))])(
			"damaged, quarantined with a word: %#",
			(text) => {
				const root = scratch();
				const path = put(root, file, text);
				expect(read(listened(root)), text.slice(0, 500)).toEqual(nothing);
				expect(existsSync(path)).toBe(false);
				const folder = join(root, dirname(aside));
				const kept = readdirSync(folder).filter((name) => name.includes(".damaged-"));
				expect(kept.map((name) => readFileSync(join(folder, name), "utf8"))).toEqual([text]);
				expect(problems).toEqual([expect.stringContaining(`kept as ${join(folder, kept[0]!)}`)]);
			},
		);

		test("a newer ccg's is left alone, with a word", () => {
			const root = scratch();
			const text = JSON.stringify({ ...whole, version: 99 });
			const path = put(root, file, text);
			expect(read(listened(root))).toEqual(nothing);
			if (!taken) expect(readFileSync(path, "utf8")).toBe(text);
			expect(problems).toEqual([expect.stringContaining("written by a newer ccg (version 99")]);
		});
	},
);

test("what is written carries its version in front", () => {
	const root = scratch();
	setPending(sessionAt(storeAt(root), "s"), { key: KEY, at: AT, trigger: "auto" });
	recordTriggers(storeAt(root), "m", [{ uuid: "u", preTokens: 5 }]);
	writeUsage(sessionAt(storeAt(root), "s"), usageRecord());
	const { pending, usage } = sessionPaths(root, "s");
	for (const path of [pending, usage, observedTriggersPath(root)])
		expect(readFileSync(path, "utf8"), path).toMatch(/^\{"version":1,/);
});
