import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { checksOf, listing, makeFixture, settings } from "./fixture.ts";

/** Times are measured: a machine under load may be slow once. */
const RETRY = { retry: 2 };

/** What a whole run plays, in its order. */
const RUNS = `SessionStart: startup
PreCompact: automatic compaction
SessionStart: after compaction
UserPromptSubmit: first prompt after compaction
UserPromptSubmit: nothing to inject
PostToolUse: after a step
PreToolUse: no marker
PreToolUse: marker set
Stop: end of a turn
SubagentStop: end of a subagent
StatusLine: one refresh
SessionEnd: end of the session`;

test(
	"a healthy installation in a folder of an odd name, in a repository around the home folder: no fault, no trace",
	RETRY,
	async () => {
		const fixture = makeFixture('it\'s a $HOME `folder` with "quotes"');
		mkdirSync(join(fixture.home, ".git", "info"), { recursive: true });
		writeFileSync(join(fixture.home, ".git", "HEAD"), "ref: refs/heads/main\n");
		await fixture.install();
		const before = listing(fixture.root);
		const report = await fixture.doctor({ claude: [{ version: "2.1.330", path: "/c" }] });
		expect(report.checks.filter(({ status }) => status === "fail" || status === "warn")).toEqual([]);
		expect(report.ok).toBe(true);
		expect(report.commands.map(({ event, run }) => `${event}: ${run}`)).toEqual(RUNS.split("\n"));
		const keys = ["event", "part", "run", "command", "exit", "valid", "chars", "ms"];
		for (const command of report.commands) {
			expect(command).toMatchObject({ exit: 0, valid: true });
			expect(Object.keys(command)).toEqual(keys);
		}
		const said = Object.fromEntries(report.commands.map(({ run, chars }) => [run, chars > 0]));
		expect(said).toMatchObject({ startup: true, "no marker": false, "marker set": true, "after a step": false });
		expect(listing(fixture.root)).toEqual(before);
	},
);

test("keeps to the user's wording and budgets", async () => {
	const fixture = makeFixture();
	await fixture.install();
	settings(join(fixture.store, "config.json"), { nudge: { wording: "off" }, startup: { maxChars: 200 } });
	const { ok, commands } = await fixture.doctor();
	expect(ok).toBe(true);
	expect(commands.find(({ run }) => run === "marker set")).toMatchObject({ valid: true, chars: 0 });
});

test("where the launcher is gone, it says so", async () => {
	const fixture = makeFixture();
	await fixture.install();
	rmSync(fixture.launcher);
	expect(checksOf(await fixture.doctor(), "runtime.launcher")).toMatchObject([
		{ status: "fail", detail: expect.stringContaining("is gone") },
	]);
});
