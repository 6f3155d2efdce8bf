import { join } from "node:path";
import { expect, test } from "vitest";
import { compactionTrigger, type TriggerInput } from "../../../src/core/pressure/compaction-trigger.ts";
import { olderThan } from "../../../src/core/text/version.ts";
import { corpus } from "../../kit/corpus.ts";

const triggerOf = (more: Partial<TriggerInput> & { seen?: number[] } = {}) => {
	const usual = { model: "claude-opus-5-5", reportedWindow: null, claudeVersion: "2.1.329", env: {}, scopes: [] };
	return compactionTrigger({ ...usual, observed: () => more.seen ?? [], ...more });
};

test.each(corpus(join(import.meta.dirname, "compaction-trigger.txt")).trigger!)("%s", (row) => {
	const [, given, expected] = /: (\{.*) => (.*)$/.exec(row)!;
	const { tokens, window, why } = triggerOf(
		JSON.parse(given!.replace('"WINDOW"', '"CLAUDE_CODE_AUTO_COMPACT_WINDOW"')),
	);
	expect(`${tokens} of ${window}${why === "formula" ? "" : `, ${why}`}`).toBe(expected!);
});

test("observations are kept apart by model, window and formula", () => {
	const env = { CLAUDE_CODE_AUTO_COMPACT_WINDOW: "100000" };
	const others = [{}, { model: "claude-sonnet-5" }, { env }, { env: { CLAUDE_AUTOCOMPACT_PCT_OVERRIDE: "50" } }];
	expect(new Set(others.map((one) => triggerOf(one).observedKey)).size).toBe(4);
	expect(triggerOf({ model: "claude-opus-5-5-20261001" }).observedKey).toBe(triggerOf().observedKey);
});

test("versions are compared by their numbers; what is none is older than nothing", () => {
	const versions = ["2.1.280", "2.1.281", "2.0.999", "2.2.0", "weird"];
	expect(versions.filter((version) => olderThan(version, [2, 1, 281]))).toEqual(["2.1.280", "2.0.999"]);
});
