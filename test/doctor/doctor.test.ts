import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { CheckStatus } from "../../src/doctor/check.ts";
import { checksOf, listing, makeFixture, settings } from "./fixture.ts";
import { RUNS } from "./runs.ts";

/** Times are measured: a machine under load may be slow once. */
const RETRY = { retry: 2 };

describe("a healthy installation", () => {
	test.each(["plain", 'it\'s a $HOME `folder` with "quotes"'])("in %s", RETRY, async (name) => {
		const fixture = makeFixture(name);
		await fixture.install();
		const before = listing(fixture.root);
		const report = await fixture.doctor();
		expect(report.checks.filter(({ status }) => status === "fail" || status === "warn")).toEqual([]);
		expect(report.ok).toBe(true);
		expect(report.commands.map(({ event, run }) => [event, run])).toEqual(RUNS);
		for (const command of report.commands) expect(command).toMatchObject({ exit: 0, valid: true });
		const said = Object.fromEntries(report.commands.map(({ run, chars }) => [run, chars > 0]));
		expect(said).toMatchObject({ startup: true, "no marker": false, "marker set": true, "after a step": false });
		expect(listing(fixture.root)).toEqual(before);
	});

	test("leaves no trace in a repository around the home folder, nor in a store without run/", async () => {
		const fixture = makeFixture();
		mkdirSync(join(fixture.home, ".git", "info"), { recursive: true });
		writeFileSync(join(fixture.home, ".git", "HEAD"), "ref: refs/heads/main\n");
		await fixture.install();
		expect(existsSync(join(fixture.store, "run"))).toBe(false);
		const before = listing(fixture.root);
		expect((await fixture.doctor()).ok).toBe(true);
		expect(listing(fixture.root)).toEqual(before);
	});

	test("keeps to the user's wording and budgets", async () => {
		const fixture = makeFixture();
		await fixture.install();
		settings(join(fixture.store, "config.json"), { nudge: { wording: "off" }, startup: { maxChars: 200 } });
		const { ok, commands } = await fixture.doctor();
		expect(ok).toBe(true);
		expect(commands.find(({ run }) => run === "marker set")).toMatchObject({ valid: true, chars: 0 });
	});

	test("takes away what a killed doctor left, and nothing of one that runs", async () => {
		const fixture = makeFixture();
		await fixture.install();
		const [dead, alive] = [
			join(fixture.store, "run", "doctor-4194999"),
			join(fixture.store, "run", `doctor-${process.ppid}`),
		];
		for (const folder of [dead, alive]) mkdirSync(folder, { recursive: true });
		await fixture.doctor();
		expect([existsSync(dead), existsSync(alive)]).toEqual([false, true]);
	});
});

/** A Claude Code beside the one the settings were made for. */
const CLAUDE: [
	installed: string | null,
	found: string,
	expected: { status: CheckStatus; detail: RegExp; ok: boolean },
][] = [
	[
		null,
		"2.1.100",
		{ status: "fail", detail: /2\.1\.100 \(\/c\) does not know PostToolBatch, so it skips all of /, ok: false },
	],
	[null, "2.0.30", { status: "fail", detail: /does not know PostToolBatch, PostCompact, so it skips all/, ok: false }],
	[null, "2.1.101", { status: "fail", detail: /does not know PostToolBatch, so what .* never runs/, ok: false }],
	["2.0.30", "2.1.329", { status: "warn", detail: /PostToolBatch, PostCompact can be had now/, ok: true }],
	["2.1.100", "2.1.100", { status: "ok", detail: /PostToolUse/, ok: true }],
	[null, "2.1.329", { status: "ok", detail: /PostToolBatch/, ok: true }],
];

describe.concurrent("compares what is registered with Claude Code", () => {
	test.each(CLAUDE)("made for %s, found %s", async (claude, version, { status, detail, ok }) => {
		const fixture = makeFixture();
		await fixture.install("user", fixture.launcher, claude);
		const report = await fixture.doctor({ claude: [{ version, path: "/c" }] });
		const [check] = checksOf(report, "settings.user").filter((one) => detail.test(one.detail ?? ""));
		expect(check ?? report.checks).toMatchObject({ status });
		expect(report.ok).toBe(ok);
		expect(report.commands.map(({ part }) => part)).toContain("post-tool-batch");
	});
});
