import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { withLock } from "../../../src/store/kernel-lock.ts";
import { observedTriggersPath } from "../../../src/store/paths.ts";
import { observedTriggers, recordTriggers } from "../../../src/store/pressure/observed-triggers.ts";
import { listened, problems, put } from "../../kit/store-problems.ts";
import { scratch } from "../../scratch-home.ts";

describe("compactions seen", () => {
	test("a damaged file loses the last one at most", () => {
		const root = scratch();
		for (const n of [1, 2, 3]) recordTriggers(listened(root), "m", [{ uuid: String(n), preTokens: n }]);
		writeFileSync(observedTriggersPath(root), "{");
		expect(observedTriggers(listened(root))("m")).toEqual([1, 2]);
		expect(problems).toEqual([expect.stringContaining("the version before it counts")]);
		recordTriggers(listened(root), "m", [{ uuid: "4", preTokens: 4 }]);
		expect(observedTriggers(listened(root))("m")).toEqual([1, 2, 4]);
	});

	test("what a newer ccg wrote is not replaced", () => {
		const root = scratch();
		put(root, "observed-triggers.json", '{"version":9}');
		expect(() => recordTriggers(listened(root), "m", [{ uuid: "u", preTokens: 5 }])).toThrow(
			expect.objectContaining({ code: "ENEWER", message: expect.stringContaining("newer ccg") }),
		);
		expect(readFileSync(observedTriggersPath(root), "utf8")).toBe('{"version":9}');
	});

	test("what found no lock is kept beside, and applied by the next", () => {
		const root = scratch();
		withLock(join(root, "run", "observed-triggers.lock"), () =>
			recordTriggers(listened(root), "m", [{ uuid: "1", preTokens: 1 }]),
		);
		expect(observedTriggers(listened(root))("m")).toEqual([]);
		expect(readdirSync(join(root, "observed-later"))).toHaveLength(1);
		put(root, "observed-later/torn.json", "{");
		recordTriggers(listened(root), "m", [{ uuid: "2", preTokens: 2 }]);
		expect(observedTriggers(listened(root))("m")).toEqual([1, 2]);
		expect(readdirSync(join(root, "observed-later")).filter((name) => name.endsWith(".json"))).toEqual([]);
		expect(problems).toEqual([expect.stringContaining("torn.json: not JSON; kept as")]);
	});

	test("a run that was killed after it applied them leaves nothing that counts twice", () => {
		const root = scratch();
		recordTriggers(listened(root), "m", [{ uuid: "1", preTokens: 1 }]);
		put(root, "observed-later/1-a.json", '{"version":1,"key":"m","seen":[{"uuid":"1","preTokens":1}]}');
		recordTriggers(listened(root), "m", [{ uuid: "1", preTokens: 1 }]);
		expect(observedTriggers(listened(root))("m")).toEqual([1]);
		expect(readdirSync(join(root, "observed-later"))).toEqual([]);
	});

	test.each(["__proto__", "constructor", "toString"])("a key that objects have: %s", (key) => {
		const root = scratch();
		expect(observedTriggers(listened(root))(key)).toEqual([]);
		recordTriggers(listened(root), key, [{ uuid: "u", preTokens: 5 }]);
		expect(observedTriggers(listened(root))(key)).toEqual([5]);
	});
});
