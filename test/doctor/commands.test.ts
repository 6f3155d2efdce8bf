import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { checkAnswer, situations } from "../../src/doctor/situations.ts";
import { loadConfig } from "../../src/store/config.ts";
import { checksOf, makeFake, makeFixture, settings } from "./fixture.ts";

const answer = (event: string, text: string): string =>
	JSON.stringify({ hookSpecificOutput: { hookEventName: event, additionalContext: text } });

/** What a command answers, and what is said of it. */
const ANSWERS: [what: string, run: string, out: string, reason: RegExp | null][] = [
	["a memory", "startup", answer("SessionStart", "ccg memory: x"), null],
	["junk", "startup", "hello from\nmy profile", /printed "hello from\\nmy profile", expected ccg memory/],
	["nothing", "startup", "", /printed "", expected ccg memory/],
	["another event's name", "startup", answer("PreToolUse", "ccg memory"), /expected ccg memory/],
	["no text", "startup", '{"hookSpecificOutput":{"hookEventName":"SessionStart"}}', /expected ccg memory/],
	["JSON for PreCompact", "automatic compaction", "{}", /printed "\{\}", expected ccg/],
	["a line for the user alone", "first prompt after compaction", '{"systemMessage":"told"}', null],
	["a word after a step", "after a step", "measured", /printed "measured", expected nothing/],
	["an empty status line", "one refresh", "", /printed ""/],
	["a status line", "one refresh", "▏52%", null],
];

const played = situations(loadConfig(null).config);
const ran = { code: 0, err: "", ms: 5, timedOut: false };

test.each(ANSWERS)("judges a command that gives %s, %s", (_, run, out, reason) => {
	const situation = played.find((one) => one.title === run)!;
	const verdict = checkAnswer(situation, { ...ran, out });
	if (reason === null) expect(verdict.problem).toBeNull();
	else expect(verdict.problem).toMatch(reason);
});

test("an entry somebody changed is shown, not run; one that fails or only logs is told", async () => {
	const fixture = makeFixture();
	const script = `[ "$2" != stop ] || { echo junk; echo broken >&2; exit 3; }
[ "$2" != pre-compact ] || { echo torn | '${fixture.launcher}' "$@"; exit; }
exec '${fixture.launcher}' "$@"`;
	const launcher = makeFake(join(fixture.root, "fake"), script);
	settings(fixture.user, { statusLine: { type: "command", command: "printf 'mine\\n'" } });
	await fixture.install("user", launcher);
	const touched = join(fixture.root, "touched");
	settings(fixture.user, (value) => {
		const [handler] = value.hooks.SessionStart[0].hooks;
		handler.command = `touch '${touched}'; ${handler.command}`;
	});
	const report = await fixture.doctor({ launcher });
	const command = (part: string) => report.commands.find((one) => one.part === part);
	expect(command("session-start")).toBeUndefined();
	expect(checksOf(report, "settings.user")).toMatchObject([
		{ status: "fail", detail: expect.stringContaining("missing in") },
	]);
	expect(existsSync(touched)).toBe(false);
	// the registered text ends 0 whatever happens
	expect(command("stop")).toMatchObject({ exit: 0, valid: false, reason: expect.stringContaining('"junk"') });
	expect(command("pre-compact")?.reason).toMatch(/printed "".*; logged: .* pre-compact: input of 5 bytes is not JSON/);
	expect(checksOf(report, "settings.statusline")[0]!.detail).toContain("around: printf 'mine\\n'");
});

test("a command that does not end is killed with all it started", async () => {
	const fixture = makeFixture();
	const alive = join(fixture.root, "alive");
	const lines = `[ "$2" = pre-compact ] || exit 0\n(while :; do date +%s%N >"${alive}"; sleep 0.02; done) & sleep 30`;
	const launcher = makeFake(join(fixture.root, "fake"), lines);
	await fixture.install("user", launcher);
	const { commands } = await fixture.doctor({ launcher, timeLimitMs: 400 });
	const command = commands.find(({ part }) => part === "pre-compact")!;
	expect(command).toMatchObject({
		exit: null,
		valid: false,
		reason: expect.stringMatching(/no end after .* s, killed/),
	});
	expect(command.ms).toBeLessThan(5_000);
	const last = readFileSync(alive, "utf8");
	await sleep(200);
	expect(readFileSync(alive, "utf8")).toBe(last);
});
