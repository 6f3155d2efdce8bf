import { appendFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { contextCases, tokenCases } from "./redaction-corpus/cases.ts";
import { leaksIn, PLACES } from "./redaction-corpus/places.ts";

/** The whole corpus in every place, for `npm run bench:redaction -- --places`, which names the file to write the counts to. */
const file = process.env.REDACTION_COUNTS;
const seed = Number(process.env.REDACTION_SEED ?? 7);
/** So few at once that a session keeps each of them. */
const SIZE = 40;

describe.skipIf(!file)("the whole corpus", () => {
	test.each(PLACES)(
		"in a session's %s",
		async (place) => {
			const tokens = tokenCases(seed).filter(({ kind }) => place !== "file name" || !/base64|query/.test(kind));
			const all = place === "file name" ? tokens : [...tokens, ...contextCases(seed)];
			// each note is a process of its own
			const cases = place === "note" ? all.filter((_, i) => i % 5 === 0) : all;
			const left: string[] = [];
			for (let i = 0; i < cases.length; i += SIZE)
				left.push(...(await leaksIn(place, cases.slice(i, i + SIZE))).map(({ kind }) => kind));
			appendFileSync(
				file!,
				`${place.padEnd(16)}${String(left.length).padStart(5)} of ${cases.length}  ${left.slice(0, 4).join("; ")}\n`,
			);
			expect(left.length).toBeLessThanOrEqual(cases.length);
		},
		600_000,
	);
});
