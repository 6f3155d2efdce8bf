import { expect, test } from "vitest";
import { contradictions, nearlySame } from "../../src/memory/compare.ts";

/** Both ways: what is like does not depend on which came first. */
const isLike = (a: string, b: string): boolean => {
	const [one, other] = [nearlySame(a, [b]) === 0, nearlySame(b, [a]) === 0];
	expect(one).toBe(other);
	return one;
};

test.each([
	["The tests run with bun test in src", "- tests are run with `bun test` in src."],
	["Don't push to the main branch", "Never push to the main branch!"],
	["The CI caches node_modules between builds", "CI caches node_modules between builds, always"],
	["entries of the cache are stopped early", "entry of caches stop early"],
	["Die Übersetzung läuft über den Dienst", "die Übersetzung läuft über den Dienst."],
	["use npm instead of yarn here", "Please use npm instead of yarn here"],
])("nearly the same: %j and %j", (a, b) => expect(isLike(a, b)).toBe(true));

test.each([
	["a number", "The dev server listens on port 3000", "The dev server listens on port 4000"],
	["a version in a name", "The build needs node18 on all machines", "The build needs node20 on all machines"],
	["a number as a word", "Retry failed calls three times then stop", "Retry failed calls five times then stop"],
	["a negation", "Push the branch to main after review", "Never push the branch to main after review"],
	["a name", "The billing service talks to Stripe over the queue", "The billing service talks to Adyen over the queue"],
	["in backticks", "Call `open` before the parser reads the file", "Call `close` before the parser reads the file"],
	["an option", "Run the linter with --fix in the hooks folder", "Run the linter with --quiet in the hooks folder"],
	["a word for another", "Indent the files with tabs", "Indent the files with spaces"],
	["the order", "use npm instead of yarn here", "use yarn instead of npm here"],
	["much more is said", "Tests run with bun", "Tests run with bun, take four minutes, and want a free port and a home"],
	["two words are too few", "run tests", "run the tests"],
	["other scripts", "テストは bun で走る", "テストは node で走る"],
])("not the same: %s", (_, a, b) => expect(isLike(a, b)).toBe(false));

test("the first of several is named, and none of many is -1", () => {
	const others = ["Answers in English", "Tests run with bun test", "The tests run with bun test"];
	expect(nearlySame("tests are run with bun test", others)).toBe(1);
	expect(nearlySame("tests are run with bun test", Array(3_000).fill("The hooks run with node and sh"))).toBe(-1);
	expect(nearlySame("", others)).toBe(-1);
});

const among = (...texts: string[]) =>
	contradictions(texts.map((text, number) => ({ number, text, heading: null }))).map(({ said }) =>
		said.map(({ number, value }) => [number, value]),
	);

test.each([
	["X is Y", "The default branch is main", "The default branch is develop", ["main", "develop"]],
	["X: Y and X is Y", "dev port: 3000", "* The dev port is 4000.", ["3000", "4000"]],
	["X = Y", "LOG_LEVEL = debug", "LOG_LEVEL = info", ["debug", "info"]],
	["use X for Y", "Use npm for installing packages", "Please use `yarn` for installing packages", ["npm", "yarn"]],
	["X runs with Y", "Tests run with vitest", "The tests run with jest", ["vitest", "jest"]],
	["do and do not", "Push to main directly", "Never push to main directly", ["so", "not"]],
	["a number", "Deploys take 3 minutes on the host", "Deploys take 12 minutes on the host", ["3", "12"]],
	["in a sentence of several", "Ask first. The port is 1. Then go on.", "The port is 2", ["1", "2"]],
])("contradict each other: %s", (_, a, b, values) =>
	expect(among("Something else entirely", a, b)).toEqual([values.map((value, i) => [i + 1, value])]),
);

test.each([
	["the same", "The port is 3000", "the port: 3000"],
	["more of the same", "Tests run with npm test", "Tests run with npm test -- --project unit"],
	["another key", "The dev port is 3000", "The test port is 4000"],
	["labels are no keys", "Note: tests are slow", "Note: builds are quick"],
	["two uses", "Use npm for packages", "Use make for builds"],
	["two things to do", "Run the linter before each push", "Run the tests before each push"],
	["not the one, not the other", "The store is not shared", "The store is not small"],
	["addresses and times", "https://a.example/x", "https://b.example/y"],
])("no contradiction: %s", (_, a, b) => expect(among(a, b)).toEqual([]));

test("none within one note, nor under different headings; three notes of one key are one", () => {
	const at = (heading: string, port: number) => ({ text: `port: ${port}`, heading });
	expect(among("The port is 1.\nThe port is 2.")).toEqual([]);
	expect(contradictions([at("## Staging", 1), at("## Production", 2)])).toEqual([]);
	expect(contradictions([at("## Staging", 1), at("### staging", 2)])).toHaveLength(1);
	expect(among("The DB port is 1", "DB port: 2", "the db port is 3")).toMatchObject([
		[[0], [1], [2]].map(([n]) => [n, String(n! + 1)]),
	]);
});

test("many, long and odd notes take no time", () => {
	const odd = ["`".repeat(8_000), "-".repeat(8_000), "a-".repeat(4_000), "é'".repeat(4_000), "x.".repeat(4_000)];
	const notes = Array.from({ length: 2_000 }, (_, i) => `The key ${i} of ${"a b ".repeat(50)}: value ${i}. So.`);
	const began = performance.now();
	for (const text of odd) nearlySame(text, odd);
	among(...notes, ...odd, ": ".repeat(4_000), "is ".repeat(4_000));
	expect(performance.now() - began).toBeLessThan(5_000);
});
