import { describe, expect, test } from "vitest";
import { contextCases, tokenCases } from "./redaction-corpus/cases.ts";
import { leaksIn, PLACES } from "./redaction-corpus/places.ts";

/** A part of the corpus, the same in every run, so that each of them is among what a session keeps; the bench has all of it. */
const every = <T>(list: readonly T[], n: number, from: number): T[] => list.filter((_, i) => i % n === from);
const TOKENS = every(tokenCases(11), 9, 4);
const CONTEXTS = every(contextCases(11), 8, 3);

describe.each(PLACES)("in a session's %s", (place) => {
	test("nothing that was told as a secret is kept or printed", async () => {
		// what has no form of its own is known by what stands around it, and a file's name has nothing around
		const cases = place.endsWith("name")
			? TOKENS.filter(({ kind }) => !/base64|query/.test(kind))
			: [...TOKENS, ...CONTEXTS];
		const leaks = await leaksIn(place, cases);
		expect(leaks.map(({ kind }) => kind)).toEqual([]);
	});
});

describe("values of the environment's own secrets", () => {
	const value = ["zq", "Vexing", "marmot", "77"].join("~");
	const env = {
		ACME_UPLOAD_TOKEN: value,
		SSH_AUTH_SOCK: "/tmp/ssh-XXXX/agent.42",
		CI_PIPELINE_KEY_FILE: "/run/keys/pipeline",
	};
	const forms: [string, string][] = [
		["as it is", value],
		["in a sentence", `it said ${value} and stopped`],
		["in a URL", `https://x.example/a?b=${encodeURIComponent(value)}`],
		["as base64", Buffer.from(value).toString("base64")],
		["inside base64", Buffer.from(`<a>${value}</a>`).toString("base64")],
		["as JSON", JSON.stringify({ a: value })],
		["in quotes of a shell", `'${value}'`],
		["as hex", Buffer.from(value).toString("hex")],
	];
	test.each(forms)("%s", async (_, text) => {
		const inner =
			text === value
				? value
				: text.includes(value)
					? value
					: /^https/.test(text)
						? encodeURIComponent(value)
						: text.slice(8, -8);
		const leaks = await Promise.all(
			(["prompt", "agent", "tool result", "summary"] as const).map((place) =>
				leaksIn(place, [{ kind: place, text, secrets: [inner] }], env),
			),
		);
		expect(leaks.flat()).toEqual([]);
	});

	test("harmless: a path in a variable with such a name stays", async () => {
		const at = await leaksIn(
			"prompt",
			[{ kind: "path", text: "look at /run/keys/pipeline", secrets: ["/run/keys/pipeline"] }],
			env,
		);
		expect(at.length).toBe(1);
	});
});
