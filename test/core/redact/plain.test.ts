import fc from "fast-check";
import { expect, test } from "vitest";
import { isPlain } from "../../../src/core/redact/plain.ts";
import { redactByRules } from "../../../src/core/redact/rules.ts";

const UUID = "0276a600-2f22-4d2b-844c-3feb9c5aa108";

test.each([
	"calm",
	"this model compacts only at the API limit",
	"auto-compaction is off",
	"claude-sonnet-4-5-20250929",
	"claude-opus-4-6[1m]",
	"2026-11-21T22:17:26.215Z",
	"/home/jane/my-project/src",
	"/tmp/scratch-home-a1B2c3/work",
	`/home/jane/.claude/projects/-home-jane/${UUID}.jsonl`,
	"Opus 4.6 (1M context)",
])("what a status line writes needs no rules: %s", (text) => {
	expect(isPlain(text)).toBe(true);
	expect(redactByRules(text, () => {})).toBe(text);
});

test.each([
	`ghp_${"aZ4kQ9mB2xW7".repeat(3)}`,
	"PASSWORD=hunter2hunter",
	"the password is hunter2!",
	"le mot de passe: hunter2!",
	"пароль: hunter2!",
	"/srv/glpat-aZ4kQ9mB2xW7aZ4kQ9mB",
	"https://jane:hunter2@host.example",
])("what the rules have to see is not plain: %s", (text) => expect(isPlain(text)).toBe(false));

test("the rules change no text that is plain for want of a beginning", () => {
	const word = fc.constantFrom(
		"is",
		"a1b2",
		"Key",
		"pw",
		"host:",
		"ok.",
		"(x)",
		"99",
		"@me",
		"API",
		"pin",
		"x-1",
		"=",
		"'q'",
	);
	fc.assert(
		fc.property(fc.array(word, { minLength: 1, maxLength: 12 }), (words) => {
			const text = words.join(" ");
			if (isPlain(text)) expect(redactByRules(text, () => {})).toBe(text);
		}),
		{ numRuns: 500 },
	);
});
