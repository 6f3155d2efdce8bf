import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { checksOf, listing, makeFake, makeFixture, settings } from "./fixture.ts";

const JSON_OF = (event: string, text: string, more = ""): string =>
	`printf '%s' '{"hookSpecificOutput":{"hookEventName":"${event}","additionalContext":"${text}"${more}}}'`;

/** What a launcher does in place of ccg, and what the doctor says of one run then. */
const ANSWERS: { name: string; lines: string; run: string; reason: RegExp }[] = [
	{
		name: "junk instead of JSON",
		lines: "echo hello from my profile",
		run: "startup",
		reason: /printed "hello from my profile", which is not one JSON object/,
	},
	{ name: "nothing", lines: "exit 0", run: "startup", reason: /printed nothing, expected .*"ccg memory"/ },
	{
		name: "another event's name",
		lines: JSON_OF("PreToolUse", "ccg memory"),
		run: "startup",
		reason: /hookEventName is PreToolUse, not SessionStart/,
	},
	{
		name: "a decision on a permission",
		lines: JSON_OF("PreToolUse", "ccg nudge", ',"permissionDecision":"allow"'),
		run: "marker set",
		reason: /holds permissionDecision, which ccg never sends/,
	},
	{
		name: "JSON for PreCompact",
		lines: 'echo "{}"',
		run: "automatic compaction",
		reason: /"\{\}" does not start with "ccg"/,
	},
	{
		name: "too much",
		lines: 'printf "ccg"; head -c 12000 /dev/zero | tr "\\\\0" x',
		run: "automatic compaction",
		reason: /12003 characters; from 10,000 on/,
	},
	{
		name: "a word after a step",
		lines: "echo measured",
		run: "after a step",
		reason: /printed "measured" where nothing/,
	},
	{ name: "no measurement", lines: "exit 0", run: "after a step", reason: /left no measurement/ },
	{ name: "an empty status line", lines: "exit 0", run: "one refresh", reason: /printed no line/ },
];

describe.concurrent("judges a command that gives", () => {
	test.each(ANSWERS)("$name", async ({ lines, run, reason }) => {
		const fixture = makeFixture();
		const launcher = makeFake(join(fixture.root, "fake"), lines);
		await fixture.install("user", launcher);
		const before = listing(fixture.root);
		const report = await fixture.doctor({ launcher });
		const command = report.commands.find((candidate) => candidate.run === run)!;
		expect(command).toMatchObject({ exit: 0, valid: false, reason: expect.stringMatching(reason) });
		const [check] = checksOf(report, `commands.${command.part}.${run.replaceAll(" ", "-")}`);
		expect(check).toMatchObject({ status: "fail", detail: expect.stringMatching(reason) });
		expect(report.ok).toBe(false);
		expect(listing(fixture.root)).toEqual(before);
	});
});

test("a launcher that ends with 3", async () => {
	const fixture = makeFixture();
	const lines = "echo junk; echo broken >&2; exit 3";
	const launcher = makeFake(join(fixture.root, "fake"), lines);
	await fixture.install("user", launcher);
	const { ok, commands } = await fixture.doctor({ launcher });
	const command = commands.find(({ part }) => part === "pre-compact");
	// the registered text ends 0 whatever happens
	expect(command).toMatchObject({ exit: 0, valid: false, reason: expect.stringContaining('"junk"') });
	expect(ok).toBe(false);
});

test("an entry somebody changed is shown, not run", async () => {
	const fixture = makeFixture();
	await fixture.install();
	const touched = join(fixture.root, "touched");
	settings(fixture.user, (value) => {
		const [handler] = value.hooks.SessionStart[0].hooks;
		handler.command = `touch '${touched}'; ${handler.command}`;
	});
	const report = await fixture.doctor();
	expect(report.commands.filter(({ part }) => part === "session-start")).toEqual([]);
	expect(checksOf(report, "commands.session-start.not-run")).toMatchObject([
		{ status: "warn", detail: expect.stringContaining("its text is not what this ccg registers") },
	]);
	expect(existsSync(touched)).toBe(false);
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
		reason: expect.stringMatching(/no end after \d+ s, killed/),
	});
	expect(command.ms).toBeLessThan(5_000);
	expect(existsSync(alive)).toBe(true);
	const last = readFileSync(alive, "utf8");
	await sleep(200);
	expect(readFileSync(alive, "utf8")).toBe(last);
});

test("slow is a warning: a hook from 1,000 ms on", async () => {
	const fixture = makeFixture();
	const launcher = makeFake(
		join(fixture.root, "fake"),
		`[ "$2" != post-compact ] || sleep 1.1; exec '${fixture.launcher}' "$@"`,
	);
	await fixture.install("user", launcher);
	const report = await fixture.doctor({ launcher });
	expect(report.commands.every(({ valid }) => valid)).toBe(true);
	expect(checksOf(report, "commands.post-compact.after-compaction")).toMatchObject([
		{ status: "warn", detail: expect.stringMatching(/slow: more than 1000/) },
	]);
});

test("what a hook only logs is told", async () => {
	const fixture = makeFixture();
	const lines = `[ "$2" != pre-compact ] || { echo torn | '${fixture.launcher}' "$@"; exit; }; exec '${fixture.launcher}' "$@"`;
	const launcher = makeFake(join(fixture.root, "fake"), lines);
	await fixture.install("user", launcher);
	const { commands } = await fixture.doctor({ launcher });
	const command = commands.find(({ part }) => part === "pre-compact")!;
	expect(command.reason).toMatch(/printed nothing.*; logged: .* pre-compact: input of 5 bytes is not JSON/);
});

test("a wrapped status line runs too, and is told apart", async () => {
	const fixture = makeFixture();
	settings(fixture.user, { statusLine: { type: "command", command: "printf 'mine\\n'" } });
	await fixture.install();
	const report = await fixture.doctor();
	expect(report.ok).toBe(true);
	expect(checksOf(report, "settings.statusline")[0]!.detail).toContain("around: printf 'mine\\n'");
	expect(checksOf(report, "commands.statusline.one-refresh")[0]!.detail).toContain('which printed "mine"');
});
