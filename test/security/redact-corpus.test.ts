import { describe, expect, test } from "vitest";
import { load } from "./kit.ts";
import { contextCases } from "./redaction-corpus/contexts.ts";
import { heldOutCases, heldOutLookAlikes } from "./redaction-corpus/held-out.ts";
import { heldOutAgainCases, heldOutAgainLookAlikes } from "./redaction-corpus/held-out-again.ts";
import { lookAlikes } from "./redaction-corpus/look-alikes.ts";
import { tokenCases } from "./redaction-corpus/tokens.ts";

const { redactSecrets } = await load<typeof import("../../src/core/redact/secrets.ts")>("src/core/redact/secrets.ts");
const { isPlain } = await load<typeof import("../../src/core/redact/plain.ts")>("src/core/redact/plain.ts");
const { redactByRules } = await load<typeof import("../../src/core/redact/rules.ts")>("src/core/redact/rules.ts");
const CORPORA = [
	["tokens", tokenCases(7), 0.98],
	["contexts", contextCases(7), 0.98],
	["held out", heldOutCases(7), 0.95],
	["held out again", heldOutAgainCases(7), 0.95],
] as const;
const ALIKE = [
	["own", lookAlikes(7), 0.01],
	["held out", heldOutLookAlikes(7), 0.02],
	["held out again", heldOutAgainLookAlikes(), 0.02],
] as const;

test("the corpus holds at least 350 secrets and 350 that only look like one", () => {
	expect(CORPORA[0][1].length + CORPORA[1][1].length).toBeGreaterThanOrEqual(350);
	expect(ALIKE[0][1].length).toBeGreaterThanOrEqual(350);
	const texts = CORPORA.flatMap(([, cases]) => cases.map(({ text }) => text));
	expect(new Set(texts).size).toBe(texts.length);
});

describe.each(CORPORA)("%s", (_, cases, least) => {
	test(`at least ${least} of the secrets are gone`, () => {
		const left = cases.filter(({ text, secrets }) => {
			const clean = redactSecrets(text);
			return secrets.some((secret) => clean.includes(secret));
		});
		expect(1 - left.length / cases.length, left.map(({ kind }) => kind).join(", ")).toBeGreaterThanOrEqual(least);
	});

	test("what was redacted stays as it is when it is redacted again", () => {
		for (const { text, kind } of cases) {
			const once = redactSecrets(text);
			expect(redactSecrets(`${once}`), kind).toBe(once);
			expect(redactSecrets(`\n${once}`).trim(), kind).toBe(once.trim());
		}
	});
});

test.each(ALIKE)("harmless: of those that look alike (%s) hardly one is touched", (_, texts, most) => {
	const touched = texts.filter(({ text }) => redactSecrets(text) !== text);
	expect(touched.length / texts.length, touched.map(({ text }) => text).join("\n")).toBeLessThanOrEqual(most);
});

test("no text is taken for plain, whole, by the line or behind a path, that the rules would change", () => {
	const missed = new Set<string>();
	for (let seed = 1; seed <= 20; seed++)
		for (const { text } of [
			...tokenCases(seed),
			...contextCases(seed),
			...heldOutCases(seed),
			...heldOutAgainCases(seed),
		])
			for (const part of [
				text,
				...text.split("\n"),
				...text.split(/\s+/).map((word) => `saved in /home/my-app/${word}`),
			])
				if (isPlain(part) && redactByRules(part, () => {}) !== part) missed.add(part);
	expect([...missed]).toEqual([]);
});
