import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { withLock } from "../../../src/store/kernel-lock.ts";
import { observedTriggersPath } from "../../../src/store/paths.ts";
import { observedTriggers, recordTriggers } from "../../../src/store/pressure/observed-triggers.ts";
import { onStoreProblem } from "../../../src/store/problems.ts";
import { scratch } from "../../scratch-home.ts";

let problems: string[] = [];
beforeEach(() => {
	problems = [];
	onStoreProblem(({ text }) => problems.push(text));
});

function put(root: string, file: string, text: string): string {
	const path = join(root, file);
	mkdirSync(dirname(path), { recursive: true });
	writeFileSync(path, text);
	return path;
}

describe("compactions seen", () => {
	test("a damaged file loses the last one at most", () => {
		const root = scratch();
		for (const n of [1, 2, 3]) recordTriggers(root, "m", [{ uuid: String(n), preTokens: n }]);
		writeFileSync(observedTriggersPath(root), "{");
		expect(observedTriggers(root)("m")).toEqual([1, 2]);
		expect(problems).toEqual([expect.stringContaining("the version before it counts")]);
		recordTriggers(root, "m", [{ uuid: "4", preTokens: 4 }]);
		expect(observedTriggers(root)("m")).toEqual([1, 2, 4]);
	});

	test("what a newer ccg wrote is not replaced", () => {
		const root = scratch();
		put(root, "learned.json", '{"version":9}');
		expect(() => recordTriggers(root, "m", [{ uuid: "u", preTokens: 5 }])).toThrow(
			expect.objectContaining({ code: "ENEWER", message: expect.stringContaining("newer ccg") }),
		);
		expect(readFileSync(observedTriggersPath(root), "utf8")).toBe('{"version":9}');
	});

	test("what found no lock is kept beside, and folded in by the next", () => {
		const root = scratch();
		withLock(join(root, "run", "learned.lock"), () => recordTriggers(root, "m", [{ uuid: "1", preTokens: 1 }]));
		expect(observedTriggers(root)("m")).toEqual([]);
		expect(readdirSync(join(root, "learned-later"))).toHaveLength(1);
		put(root, "learned-later/torn.json", "{");
		recordTriggers(root, "m", [{ uuid: "2", preTokens: 2 }]);
		expect(observedTriggers(root)("m")).toEqual([1, 2]);
		expect(readdirSync(join(root, "learned-later")).filter((name) => name.endsWith(".json"))).toEqual([]);
		expect(problems).toEqual([expect.stringContaining("torn.json: not JSON; kept as")]);
	});

	test("a run that was killed after it folded leaves nothing that counts twice", () => {
		const root = scratch();
		recordTriggers(root, "m", [{ uuid: "1", preTokens: 1 }]);
		put(root, "learned-later/1-a.json", '{"version":1,"key":"m","seen":[{"uuid":"1","preTokens":1}]}');
		recordTriggers(root, "m", [{ uuid: "1", preTokens: 1 }]);
		expect(observedTriggers(root)("m")).toEqual([1]);
		expect(readdirSync(join(root, "learned-later"))).toEqual([]);
	});

	test.each(["__proto__", "constructor", "toString"])("a key that objects have: %s", (key) => {
		const root = scratch();
		expect(observedTriggers(root)(key)).toEqual([]);
		recordTriggers(root, key, [{ uuid: "u", preTokens: 5 }]);
		expect(observedTriggers(root)(key)).toEqual([5]);
	});
});
