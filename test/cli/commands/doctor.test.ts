import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Command } from "commander";
import pc from "picocolors";
import { expect, test } from "vitest";
import { registerDoctor } from "../../../src/cli/commands/doctor.ts";
import { type DoctorFixture, makeFixture, settings } from "../../doctor/fixture.ts";
import { recordedIo } from "../../kit/recorded-io.ts";

/** Times are measured: a machine under load may be slow once. */
const RETRY = { retry: 2 };

async function run(machine: DoctorFixture, args: string[], { colours = false, interactive = false } = {}) {
	const { cwd, launcher } = machine;
	const io = { env: machine.environment(), cwd, launcher, interactive, colours: pc.createColors(colours) };
	const recorded = recordedIo(io);
	const program = new Command("ccg").exitOverride().configureOutput({ writeOut: recorded.io.out });
	registerDoctor(program, recorded.io, { managed: machine.managed });
	await program.parseAsync(["doctor", ...args], { from: "user" }).catch((error: { code: string }) => {
		if (error.code !== "commander.helpDisplayed") throw error;
	});
	const text = (lines: string[]): string => lines.map((line) => `${line}\n`).join("");
	return { out: text(recorded.out), err: text(recorded.err), code: recorded.code };
}

test("healthy: words without colours, exit code 0, nothing on stderr", RETRY, async () => {
	const machine = makeFixture();
	await machine.install();
	writeFileSync(
		join(machine.home, ".claude.json"),
		JSON.stringify({ projects: { [machine.cwd]: { hasTrustDialogAccepted: true } } }),
	);
	const { out, err, code } = await run(machine, []);
	expect([code, err]).toEqual([0, ""]);
	expect(out).toMatch(/^Runtime\n {2}ok {3}launcher {2}/);
	expect(out).toMatch(/^ {2}ok {3}SessionStart, startup +exit 0, \d+ characters, \d+ ms$/m);
	expect(out).toMatch(/All checks passed\.\n$/);
	expect(out).not.toMatch(/[^\n\x20-\x7e]|FAIL|warn/);
});

test("where nobody has trusted the folder, it is not said that all is well", RETRY, async () => {
	const machine = makeFixture();
	await machine.install();
	const { out, code } = await run(machine, []);
	expect(code).toBe(0);
	expect(out).toMatch(/All checks passed\. But this folder is not trusted yet: .*\n$/);
});

test("broken: signs with colours, the fix below, exit code 1, progress on a terminal's stderr", RETRY, async () => {
	const machine = makeFixture();
	await machine.install();
	settings(machine.user, (value) => {
		value.disableAllHooks = true;
	});
	const { out, err, code } = await run(machine, [], { colours: true, interactive: true });
	expect(code).toBe(1);
	expect(out).toMatch(/\u001b\[31m✗\u001b\[39m disableAllHooks +true in .*\n +\S*-> take "disableAllHooks" out of/);
	expect(out).toContain("1 failed, 0 warnings.");
	expect(err).toMatch(/… PreToolUse, marker set/);
});

test("--json: one object with ok, checks and commands", async () => {
	const machine = makeFixture();
	const { out, err, code } = await run(machine, ["--json"], { interactive: true });
	expect([code, err]).toEqual([1, ""]);
	const report = JSON.parse(out);
	expect(report).toMatchObject({ ok: false, commands: [] });
	expect(report.checks).toContainEqual(
		expect.objectContaining({ id: "settings.registered", status: "fail", fix: `run \`${machine.launcher} install\`` }),
	);
	await machine.install();
	const healthy = JSON.parse((await run(machine, ["--json"])).out);
	expect(healthy.ok).toBe(true);
	expect(Object.keys(healthy.commands[0])).toEqual(["event", "part", "run", "command", "exit", "valid", "chars", "ms"]);
});

test("--help shows examples and exit codes", async () => {
	const { out } = await run(makeFixture(), ["--help"]);
	expect(out).toMatch(/Examples:\n {2}ccg doctor\n[\s\S]*Exit codes: 0/);
});

test("before any install a status line of the user's own is only told", async () => {
	const machine = makeFixture();
	settings(machine.user, { statusLine: { type: "command", command: "echo mine" } });
	const { out } = await run(machine, []);
	expect(out).toContain("registration");
	expect(out).not.toContain("reads the transcript");
	expect(out).not.toContain("is read from the transcript");
	expect(out).toMatch(/info status line +yours, in .*settings\.json/);
	expect(out).toMatch(/`\S*ccg install` keeps it/);
});

test("before any install no status line is no matter of transcripts", async () => {
	const { out } = await run(makeFixture(), []);
	expect(out).toMatch(/info status line +none\n/);
});
