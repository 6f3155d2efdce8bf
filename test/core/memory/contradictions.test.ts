import { describe, expect, test } from "vitest";
import { contradictions } from "../../../src/core/memory/contradictions.ts";

const among = (...texts: string[]) => contradictions(texts.map((text) => ({ text, heading: null })));
const valuesOf = (...texts: string[]) => among(...texts).map(({ said }) => said.map(({ value }) => value));

describe("contradict each other", () => {
	test.each([
		["X is Y", "The default branch is main", "The default branch is develop", ["main", "develop"]],
		["X: Y", "- dev port: 3000", "* Dev port: 4000", ["3000", "4000"]],
		["X: Y and X is Y", "dev port: 3000", "The dev port is 4000.", ["3000", "4000"]],
		["X = Y", "LOG_LEVEL = debug", "LOG_LEVEL = info", ["debug", "info"]],
		["use X for Y", "Use npm for installing packages", "use yarn for installing packages", ["npm", "yarn"]],
		["use X to Y", "Use `make` to build the docs", "Please use `just` to build the docs", ["`make`", "`just`"]],
		["X runs with Y", "Tests run with vitest", "The tests run with jest", ["vitest", "jest"]],
		["X is not Y", "The store is shared", "The store is not shared", ["shared", "shared"]],
		["do and do not", "Push to main directly", "Never push to main directly", null],
		[
			"a number alone",
			"Deploys take 3 minutes on the staging host",
			"Deploys take 12 minutes on the staging host",
			["3", "12"],
		],
		["in a sentence of several", "Ask first. The port is 1. Then go on.", "The port is 2", ["1", "2"]],
	])("%s", (_, a, b, values) => {
		const found = among("Something else entirely", a, b);
		expect(found.map(({ said }) => said.map(({ note }) => note))).toEqual([[1, 2]]);
		if (values) expect(found[0]!.said.map(({ value }) => value)).toEqual(values);
	});
});

describe("no contradiction", () => {
	test.each([
		["the same", "The port is 3000", "the port: 3000"],
		["more of the same", "Tests run with npm test", "Tests run with npm test -- --project unit"],
		["another key", "The dev port is 3000", "The test port is 4000"],
		["labels are no keys", "Note: tests are slow", "Note: builds are quick"],
		["two uses", "Use npm for packages", "Use make for builds"],
		["not the one, not the other", "The store is not shared", "The store is not small"],
		["addresses and times", "https://a.example/x", "https://b.example/y"],
		["this and that", "This is slow", "This is quick"],
	])("%s", (_, a, b) => expect(valuesOf(a, b)).toEqual([]));

	test("within one note", () => expect(valuesOf("The port is 1.\nThe port is 2.")).toEqual([]));

	test("under different headings; under the same one it is", () => {
		const at = (heading: string, port: number) => ({ text: `port: ${port}`, heading });
		expect(contradictions([at("## Staging", 1), at("## Production", 2)])).toEqual([]);
		expect(contradictions([at("## Staging", 1), at("### staging", 2)])).toHaveLength(1);
	});
});

test("three notes of one key are one contradiction, with the first one's words", () => {
	const [found, ...more] = among("The DB port is 1", "DB port: 2", "the db port is 3", "the db port is 3");
	expect(more).toEqual([]);
	expect(found).toMatchObject({ key: "The DB port", said: [{ note: 0 }, { note: 1 }, { note: 2 }, { note: 3 }] });
});

test("many long notes take no time", () => {
	const began = performance.now();
	const notes = Array.from({ length: 2_000 }, (_, i) => `The key ${i} of ${"a b ".repeat(50)}: value ${i}. It is so.`);
	among(...notes, "x ".repeat(4_000), ": ".repeat(4_000), "is ".repeat(4_000));
	expect(performance.now() - began).toBeLessThan(5_000);
});
