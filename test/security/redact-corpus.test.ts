import { describe, expect, test } from "vitest";
import { isObviouslySafe } from "../../src/core/redact/plain.ts";
import { redactByRules } from "../../src/core/redact/rules.ts";
import { redactSecrets } from "../../src/core/redact/secrets.ts";
import { lookAlikes, SECTIONS, type SecretCase, secretCases, tokenCases } from "./redaction-corpus/cases.ts";

const CORPORA: [name: string, cases: SecretCase[], least: number][] = [
	["tokens", tokenCases(7), 1],
	...SECTIONS.map((name): [string, SecretCase[], number] => [
		name,
		secretCases(name, 7),
		name.startsWith("held out") ? 0.95 : 1,
	]),
];
const ALIKE = (["own", "held out", "held out again", "sayings"] as const).map((name) => lookAlikes(name, 7));

test("the corpus holds at least 700 secrets and 900 texts that only look like one", () => {
	expect(CORPORA.flatMap(([, cases]) => cases).length).toBeGreaterThanOrEqual(700);
	expect(ALIKE.flat().length).toBeGreaterThanOrEqual(900);
});

describe.each(CORPORA)("%s", (_, cases, least) => {
	test(`at least ${least} of the secrets are gone`, () => {
		const left = cases.filter(({ text, secrets }) => secrets.some((secret) => redactSecrets(text).includes(secret)));
		expect(1 - left.length / cases.length, left.map(({ kind }) => kind).join(", ")).toBeGreaterThanOrEqual(least);
	});

	test("what was redacted stays as it is when it is redacted again, and no longer than it was", () => {
		for (const { text, kind } of cases) {
			const once = redactSecrets(text);
			for (const lead of ["", "\n"]) {
				const again = redactByRules(lead + once, () => {});
				expect(again, kind).toBe(lead + once);
			}
			const markers = once.match(/\[REDACTED:[a-z-]{1,24}\]/g)?.length ?? 0;
			expect(once.length, kind).toBeLessThanOrEqual(text.length + 35 * markers);
		}
	});
});

test("harmless: of those that look alike none is touched", () => {
	expect(ALIKE.flat().filter((text) => redactSecrets(text) !== text)).toEqual([]);
});

test("no text is taken for plain, whole, by the line or behind a path, that the rules would change", () => {
	const missed = new Set<string>();
	for (let seed = 1; seed <= 20; seed++)
		for (const { text } of [...tokenCases(seed), ...SECTIONS.flatMap((name) => secretCases(name, seed))])
			for (const part of [
				text,
				...text.split("\n"),
				...text.split(/\s+/).map((word) => `saved in /home/my-app/${word}`),
			])
				if (isObviouslySafe(part) && redactByRules(part, () => {}) !== part) missed.add(part);
	expect([...missed]).toEqual([]);
});
