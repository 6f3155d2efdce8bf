import { describe, expect, test } from "vitest";
import { nearlySame } from "../../../src/core/memory/likeness.ts";

/** Both ways: what is like does not depend on which came first. */
const isLike = (a: string, b: string): boolean => {
	const [one, other] = [nearlySame(a, [b]) === 0, nearlySame(b, [a]) === 0];
	expect(one).toBe(other);
	return one;
};

describe("nearly the same", () => {
	test.each([
		["The tests run with bun test in src", "- tests are run with `bun test` in src."],
		["Run the tests with npm test", "Tests run with npm test"],
		["Don't push to the main branch", "Never push to the main branch!"],
		["The CI caches node_modules between builds", "CI caches node_modules between builds, always"],
		["Lock files are written under run/ by the hooks", "lock file written under run/ by the hook"],
		["Die Übersetzung läuft über den Dienst", "die Übersetzung läuft über den Dienst."],
		["use npm instead of yarn here", "Please use npm instead of yarn here"],
	])("%j and %j", (a, b) => expect(isLike(a, b)).toBe(true));
});

describe("not the same", () => {
	test.each([
		["a number", "The dev server listens on port 3000", "The dev server listens on port 4000"],
		["a version in a name", "The build needs node18 on all machines", "The build needs node20 on all machines"],
		["a number as a word", "Retry failed calls three times then stop", "Retry failed calls five times then stop"],
		["a negation", "Push the branch to main after review", "Never push the branch to main after review"],
		["a short negation", "Commands can write to the store", "Commands can't write to the store"],
		[
			"a name",
			"The billing service talks to Stripe over the queue",
			"The billing service talks to Adyen over the queue",
		],
		[
			"a name in backticks",
			"Call `open` before the parser reads the file",
			"Call `close` before the parser reads the file",
		],
		[
			"a path",
			"The parser's tests are in test/parser and need no network",
			"The parser's tests are in test/lexer and need no network",
		],
		["an option", "Run the linter with --fix in the hooks folder", "Run the linter with --quiet in the hooks folder"],
		["a word for another", "Indent the files with tabs", "Indent the files with spaces"],
		["the order", "use npm instead of yarn here", "use yarn instead of npm here"],
		["the order in time", "write the log before the snapshot file", "write the snapshot file before the log"],
		[
			"much more is said",
			"Tests run with bun",
			"Tests run with bun, take four minutes, and want a free port and a scratch home",
		],
		["two words are too few", "run tests", "run the tests"],
		["nothing in common", "Tests run with bun", "Answers in English please"],
		["other scripts", "テストは bun で走る", "テストは node で走る"],
	])("%s", (_, a, b) => expect(isLike(a, b)).toBe(false));
});

test("the first of several is named, and none of many is -1", () => {
	const others = ["Answers in English", "Tests run with bun test", "The tests run with bun test"];
	expect(nearlySame("tests are run with bun test", others)).toBe(1);
	expect(nearlySame("tests are run with bun test", Array(3_000).fill("The hooks run with node and sh"))).toBe(-1);
	expect(nearlySame("", others)).toBe(-1);
});

test("a word with its letters in another form is still a word of the text", () => {
	for (const [a, b] of [
		["entries of the cache are stopped early", "entry of caches stop early"],
		["running planned steps quickly enough", "run plan step quickly enough"],
	] as const)
		expect(isLike(a, b)).toBe(true);
});

test("long and odd texts take no time", () => {
	const odd = ["`".repeat(8_000), "-".repeat(8_000), "a-".repeat(4_000), "é'".repeat(4_000), "x.".repeat(4_000)];
	const began = performance.now();
	for (const text of odd) nearlySame(text, odd);
	expect(performance.now() - began).toBeLessThan(1_000);
});
