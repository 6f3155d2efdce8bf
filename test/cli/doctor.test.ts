import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { listing, makeFixture, settings } from "../doctor/fixture.ts";
import { runCcg } from "../kit/ccg.ts";

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

const doctor = (machine: ReturnType<typeof makeFixture>, args: string[] = [], more = {}) =>
	runCcg(["doctor", ...args], { env: machine.environment(), cwd: machine.cwd, launcher: machine.launcher, ...more });

test(
	"healthy, in a folder of an odd name in a repository around the home folder: no fault, no trace, exit code 0",
	RETRY,
	async () => {
		const machine = makeFixture('it\'s a $HOME `folder` with "quotes"');
		mkdirSync(join(machine.home, ".git", "info"), { recursive: true });
		writeFileSync(join(machine.home, ".git", "HEAD"), "ref: refs/heads/main\n");
		await machine.install();
		const before = listing(machine.root);
		const untrusted = await doctor(machine);
		expect([untrusted.code, untrusted.err, listing(machine.root)]).toEqual([0, "", before]);
		expect(untrusted.out).toMatch(/^Runtime\n {2}ok {3}launcher {2}/);
		expect(untrusted.out).toMatch(/^ {2}ok {3}SessionStart, startup +exit 0, \d+ characters, \d+ ms$/m);
		expect(untrusted.out).toMatch(/All checks passed\. But this folder is not trusted yet: .*$/);
		const projects = { [machine.cwd]: { hasTrustDialogAccepted: true } };
		writeFileSync(join(machine.home, ".claude.json"), JSON.stringify({ projects }));
		const { ok, checks, commands } = (await doctor(machine, ["--json"])).json;
		expect(checks.filter(({ status }: { status: string }) => status === "fail" || status === "warn")).toEqual([]);
		expect(ok).toBe(true);
		expect(commands.map((one: { event: string; run: string }) => `${one.event}: ${one.run}`)).toEqual(RUNS.split("\n"));
		const keys = ["event", "part", "run", "command", "exit", "valid", "chars", "ms"];
		for (const command of commands) {
			expect(command).toMatchObject({ exit: 0, valid: true });
			expect(Object.keys(command)).toEqual(keys);
		}
		const said = Object.fromEntries(commands.map((one: { run: string; chars: number }) => [one.run, one.chars > 0]));
		expect(said).toMatchObject({ startup: true, "no marker": false, "marker set": true, "after a step": false });
	},
);

test(
	"broken: signs with colours, the fix below, exit code 1, progress on stderr; the user's wording is kept to",
	RETRY,
	async () => {
		const machine = makeFixture();
		await machine.install();
		settings(machine.user, (value) => {
			value.disableAllHooks = true;
		});
		settings(join(machine.store, "config.json"), { nudge: { wording: "off" }, startup: { maxChars: 200 } });
		const { out, err, code } = await doctor(machine, [], { colours: true, interactive: true });
		expect([code, err]).toEqual([1, expect.stringMatching(/… PreToolUse, marker set/)]);
		expect(out).toMatch(/\u001b\[31mFAIL\u001b\[39m disableAllHooks +set in .*\n +\S*-> take "disableAllHooks" out of/);
		expect(out).toMatch(/PreToolUse, marker set +exit 0, 0 characters/);
		expect(out).toContain("1 failed, 0 warnings.");
	},
);

test("before any install; --json is one object with ok, checks and commands", async () => {
	const machine = makeFixture();
	settings(machine.user, { statusLine: { type: "command", command: "echo mine" } });
	expect((await doctor(machine)).out).toMatch(/info status line +another one, in .*settings\.json/);
	const { json } = await doctor(machine, ["--json"], { interactive: true });
	expect(json).toMatchObject({ ok: false, commands: [] });
	const fix = `run \`${machine.launcher} install\``;
	expect(json.checks).toContainEqual(expect.objectContaining({ id: "settings.registered", status: "fail", fix }));
});
