import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import names from "../../../src/core/redact/names.json";
import phrases from "../../../src/core/redact/phrases.json";
import { isObviouslySafe, SECRET_HINTS } from "../../../src/core/redact/plain.ts";
import { redactByRules } from "../../../src/core/redact/rules.ts";
import { corpus } from "../../kit/corpus.ts";

const CASES = corpus(join(import.meta.dirname, "plain.txt"));
const redacted = (text: string): string => redactByRules(text, () => {});

test.each(CASES["needs no rules"]!)("what a status line and a list write needs no rules: %s", (text) => {
	expect([isObviouslySafe(text), redacted(text)]).toEqual([true, text]);
});

test.each(CASES["is not plain"]!)("a line of words and paths with more in it is not plain: %s", (text) => {
	expect(isObviouslySafe(text)).toBe(false);
});

// test/security/redact-corpus.test.ts looks at each secret of the corpus like this
test.each(CASES["is not plain, and is changed"]!)(
	"what the rules have to see is not plain, also in a long text: %s",
	(text) => {
		for (const one of [text, `${"the quick fox ran on and on\n".repeat(12)}${text}\n`]) {
			expect(isObviouslySafe(one)).toBe(false);
			expect(redacted(one)).not.toBe(one);
		}
	},
);

test("the rules change no line of words and paths that is plain", () => {
	const part = fc.constantFrom(
		..."saved in -p --user root 41 3749 12:30 2026-11-22 a1b2 Basic AKIA sk-live xoxb".split(" "),
		..."/home/jane/app /tmp/app-a1B2c3/x /p/app-01a626d7/M.md ~/.ssh/id user@host ghp_abc eyJhbGci /".split(" "),
		..."4111 0123 deadbeef -01a626d7/ A3- AIza hf_ npm_x".split(" "),
		"correct horse battery staple",
	);
	const gap = fc.constantFrom(" ", "  ", "/", " /");
	fc.assert(
		fc.property(fc.array(part, { minLength: 1, maxLength: 14 }), gap, (parts, between) => {
			const text = parts.join(between);
			if (isObviouslySafe(text)) expect(redacted(text)).toBe(text);
		}),
		{ numRuns: 5_000 },
	);
});

test("what the rules begin at is none of a plain text", () => {
	const hints = [
		...names.stems.join(" ").split(" "),
		...Object.values(phrases.rows).flatMap((rows) => rows.flatMap((row) => row.split(" => ")[0]!.split("|"))),
		...Object.values(phrases.hints).flatMap((list) => list.split("|")),
	].filter((hint) => !/[@~!]|[^\x00-\x7f]/.test(hint));
	// behind these stands what the rules begin at as well, or a value as long as a token
	const WITHIN =
		/^(?:|activate|register|init|deployer|account|signer|id\.json|temporary|user|username\/|user\/|ticket=|hmac=|response=|mac=|x-(?:amz|goog)-s|-{4,5}.*|private-lines:|true\t.*|false\t.*|pin|sas|sig|sid|otp|unzip|unrar|expdp|impdp|sess|-s |env.*|vars? set|login|identify|git config|"(?:d[pq]?|p|qi?|k)["\\\\]|(?:d[pq]?|p|qi?|k): '|sync join)$/;
	expect(hints.filter((hint) => !WITHIN.test(hint) && !SECRET_HINTS.test(hint))).toEqual([]);
});
