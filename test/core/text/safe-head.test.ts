import { expect, test } from "vitest";
import { excerpt } from "../../../src/core/text/excerpt.ts";
import { safeTail } from "../../../src/core/text/safe-head.ts";

const letters = (length: number): string =>
	Array.from({ length }, (_, n) => "aZ3kQ9xB7m"[(n * 7 + (n >> 3)) % 10]).join("");

test.each([
	["a word", `API_TOKEN=${letters(9_000)}`, ""],
	["a key in JSON", `{"key": "-----BEGIN PRIVATE KEY-----\\n${letters(9_000)}\\n-----END PRIVATE KEY-----"}`, ""],
	[
		"a key's lines",
		`-----BEGIN RSA PRIVATE KEY-----\n${letters(9_600).replace(/.{64}/g, "$&\n")}`,
		"\nerror: it was refused",
	],
])("of a secret longer than what is looked at nothing is shown: %s", (_, secret, end) => {
	const told = safeTail(`first\n${secret}${end}`, 400);
	expect(told).not.toMatch(/[A-Za-z0-9]{20}/);
	expect(told.endsWith(end)).toBe(true);
});

test.each([
	['The 5" drive bay holds', "and never touch /srv/prod"],
	['"the report should', "and never touch /srv/prod"],
])("a mark that nothing closes costs no words: %s", (begin, end) => {
	const { text } = excerpt(`${begin} ${"many more words than fit ".repeat(60)}${end}`, 700);
	expect([text.startsWith(begin), text.endsWith(end)]).toEqual([true, true]);
	expect(text.length).toBeGreaterThan(400);
});
