import { appendFileSync } from "node:fs";
import { expect, test } from "vitest";
import { contextCases, tokenCases } from "./redaction-corpus/cases.ts";
import { leaksIn, PLACES } from "./redaction-corpus/places.ts";

/**
 * A part of the corpus, the same in every run, so that each of them is among what a session keeps. `npm run bench:redaction --
 * --places` has all of it in turn, and names the file to write the counts to.
 */
const file = process.env.REDACTION_COUNTS;
const seed = Number(process.env.REDACTION_SEED ?? 11);
const every = <T>(list: readonly T[], n: number, from: number): T[] => list.filter((_, i) => i % n === from);
const PARTS = file ? Array.from({ length: 9 }, (_, n) => n) : [4];

test.each(PLACES)(
	"in a session's %s nothing that was told as a secret is kept or printed",
	async (place) => {
		const leaks: string[] = [];
		for (const part of PARTS) {
			const tokens = every(tokenCases(seed), 9, part);
			const cases = place.endsWith("name")
				? // what has no form of its own is known by what stands around it, and a name has nothing around
					tokens.filter(({ kind }) => !/base64|query/.test(kind))
				: [...tokens, ...(file ? every(contextCases(seed), 9, part) : every(contextCases(seed), 8, 3))];
			leaks.push(...(await leaksIn(place, cases)).map(({ kind }) => kind));
		}
		if (file) appendFileSync(file, `${place.padEnd(16)}${leaks.length}  ${leaks.slice(0, 4).join("; ")}\n`);
		else expect(leaks).toEqual([]);
	},
	600_000,
);

const VALUE = ["zq", "Vexing", "marmot", "77"].join("~");
const base64 = (text: string): string => Buffer.from(text).toString("base64");
/** A secret of the environment's own in a text, and what of it must be gone. */
const FORMS: [string, string, string][] = [
	["in a sentence", `it said ${VALUE} and stopped`, VALUE],
	["in a URL", `https://x.example/a?b=${encodeURIComponent(VALUE)}`, encodeURIComponent(VALUE)],
	["as base64", base64(VALUE), base64(VALUE).slice(8, -8)],
	["inside base64", base64(`<a>${VALUE}</a>`), base64(`<a>${VALUE}</a>`).slice(8, -8)],
	["as JSON", JSON.stringify({ a: VALUE }), VALUE],
	["as hex", Buffer.from(VALUE).toString("hex"), Buffer.from(VALUE).toString("hex").slice(8, -8)],
];
const ENV = { ACME_UPLOAD_TOKEN: VALUE, CI_PIPELINE_KEY_FILE: "/run/keys/pipeline" };

test.each(FORMS)("a secret of the environment's, %s", async (kind, text, secret) => {
	for (const place of ["prompt", "agent", "tool result", "summary"] as const)
		expect(await leaksIn(place, [{ kind, text, secrets: [secret] }], ENV)).toEqual([]);
});

test("harmless: a path in a variable with such a name stays", async () => {
	const path = { kind: "path", text: "look at /run/keys/pipeline", secrets: ["/run/keys/pipeline"] };
	expect(await leaksIn("prompt", [path], ENV)).toHaveLength(1);
});
