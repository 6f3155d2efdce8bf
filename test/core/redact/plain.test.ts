import fc from "fast-check";
import { expect, test } from "vitest";
import names from "../../../src/core/redact/names.json";
import phrases from "../../../src/core/redact/phrases.json";
import { BEGINNINGS, isPlain } from "../../../src/core/redact/plain.ts";
import { redactByRules } from "../../../src/core/redact/rules.ts";

const UUID = "0276a600-2f22-4d2b-844c-3feb9c5aa108";

test.each([
	"calm",
	"claude-sonnet-4-5-20250929",
	"claude-opus-4-6[1m]",
	"2026-11-21T22:17:26.215Z",
	"/home/jane/my-project/src",
	"/tmp/scratch-home-a1B2c3/work",
	"/Users/jane/.claude/projects/-Users-jane-code-my-app",
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
	"feature/glpat-WjaNvUEX9_OvLUdziIcF",
	"feature/glpat-WjaNvUEX-OvLUdzi_IcFq",
	"setup: JBSW Y3DP EHPK 3PXP",
	`solana [${"201, 37, 74, 111, ".repeat(15)}12, 9]`,
	"bip39: abandon ability able about above absent absorb abstract absurd abuse access accident",
	"hmac = 'Falcon#22'",
])("what the rules have to see is not plain, alone or in a long text: %s", (text) => {
	for (const one of [text, `${"the quick fox ran on and on\n".repeat(12)}${text}\n`]) {
		expect(isPlain(one)).toBe(false);
		expect(redactByRules(one, () => {})).not.toBe(one);
	}
});

test.each([
	"saved in /home/jane/.claude-memory/projects/my-app-01a626d7/MEMORY.md",
	"MEMORY.md          41 notes  3749 B  2026-11-22 02:02  /home/jane/.claude-memory/projects/my-app-01a626d7/MEMORY.md",
	"log/2026-11-20.md  15 notes   525 B  2026-11-20 09:41  /home/jane/.claude-memory/projects/app-f060f6cd/log/2026-11-20.md",
	`saved     /home/jane/.claude-memory/sessions/${UUID}/task-state.json`,
])("a line of words and paths needs no rules: %s", (text) => {
	expect(isPlain(text)).toBe(true);
	expect(redactByRules(text, () => {})).toBe(text);
});

test.each([
	"the password is in /etc/shadow-01a626d7/x",
	"saved in /srv/glpat-aZ4kQ9mB2xW7aZ4kQ9mB/x",
	"saved in /home/jane with hunter2hunter2x",
	"saved in /srv/a-01A626D7/x",
	"curl -u jane /srv/plain",
	"GET /srv/plain?sig=01a626d7",
])("a line of words and paths with more in it is not plain: %s", (text) => expect(isPlain(text)).toBe(false));

test("the rules change no line of words and paths that is plain", () => {
	const part = fc.constantFrom(
		...[
			"saved",
			"in",
			"-p",
			"--user",
			"root",
			"41",
			"3749",
			"12:30",
			"2026-11-22",
			"a1b2",
			"Basic",
			"AKIA",
			"sk-live",
			"xoxb",
		],
		...[
			"/home/jane/app",
			"/tmp/app-a1B2c3/x",
			"/p/app-01a626d7/M.md",
			"~/.ssh/id",
			"user@host",
			"ghp_abc",
			"eyJhbGci",
			"/",
		],
		...["correct horse battery staple", "4111", "0123", "deadbeef", "-01a626d7/", "A3-", "AIza", "hf_", "npm_x"],
	);
	fc.assert(
		fc.property(
			fc.array(part, { minLength: 1, maxLength: 14 }),
			fc.constantFrom(" ", "  ", "/", " /"),
			(parts, gap) => {
				const text = parts.join(gap);
				if (isPlain(text)) expect(redactByRules(text, () => {})).toBe(text);
			},
		),
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
	expect(hints.filter((hint) => !WITHIN.test(hint) && !BEGINNINGS.test(hint))).toEqual([]);
});
