import { expect, test } from "vitest";
import {
	identifiersOf,
	pruneIdentifiers,
	rankedIdentifiers,
	type Score,
	scoreIdentifiers,
} from "../../../src/core/state/identifiers.ts";

test("identifiers are paths, symbols, flags, hosts and numbers, not words", () => {
	expect([
		...identifiersOf(
			"Open src/parse.mjs: the function parseLine fails with --max-count 12 on api.example.com:8080, id 7bd04f52.",
		),
	]).toEqual(["src/parse.mjs", "parseLine", "max-count", "api.example.com:8080", "7bd04f52"]);
});

test("identifiers fade with every step, and pruning keeps the best", () => {
	const scores: Record<string, Score> = {};
	scoreIdentifiers(scores, ["old-name"], 0, "command");
	scoreIdentifiers(scores, ["new-name"], 60, "command");
	expect(rankedIdentifiers(scores, 60).map(([name]) => name)).toEqual(["new-name", "old-name"]);
	for (let i = 0; i < 4_000; i++) scoreIdentifiers(scores, [`filler-${i}`], 60, "pattern");
	const kept = pruneIdentifiers(scores, 60);
	expect(Object.keys(kept)).toHaveLength(1_200);
	expect(kept["new-name"]).toBeDefined();
});

test("names every object has are names like others", () => {
	const scores: Record<string, Score> = {};
	scoreIdentifiers(scores, identifiersOf("hasOwnProperty isPrototypeOf __proto__ toLocaleString"), 1, "user");
	const ranked = rankedIdentifiers(scores, 1);
	expect(ranked.map(([name]) => name)).toEqual(["isPrototypeOf", "hasOwnProperty", "toLocaleString"]);
	expect(ranked.every(([, worth]) => worth > 0)).toBe(true);
});
