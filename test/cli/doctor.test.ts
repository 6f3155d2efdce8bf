import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeFixture, settings } from "../doctor/fixture.ts";
import { runCcg } from "../kit/ccg.ts";

/** Times are measured: a machine under load may be slow once. */
const RETRY = { retry: 2 };

const doctor = (machine: ReturnType<typeof makeFixture>, args: string[] = [], more = {}) =>
	runCcg(["doctor", ...args], { env: machine.environment(), cwd: machine.cwd, launcher: machine.launcher, ...more });

test(
	"healthy: words without colours, exit code 0; not all is well where nobody has trusted the folder",
	RETRY,
	async () => {
		const machine = makeFixture();
		await machine.install();
		const untrusted = await doctor(machine);
		expect([untrusted.code, untrusted.err]).toEqual([0, ""]);
		expect(untrusted.out).toMatch(/^Runtime\n {2}ok {3}launcher {2}/);
		expect(untrusted.out).toMatch(/^ {2}ok {3}SessionStart, startup +exit 0, \d+ characters, \d+ ms$/m);
		expect(untrusted.out).toMatch(/All checks passed\. But this folder is not trusted yet: .*$/);
		const projects = { [machine.cwd]: { hasTrustDialogAccepted: true } };
		writeFileSync(join(machine.home, ".claude.json"), JSON.stringify({ projects }));
		expect((await doctor(machine)).out).toMatch(/All checks passed\.$/);
	},
);

test("broken: signs with colours, the fix below, exit code 1, progress on a terminal's stderr", RETRY, async () => {
	const machine = makeFixture();
	await machine.install();
	settings(machine.user, (value) => {
		value.disableAllHooks = true;
	});
	const { out, err, code } = await doctor(machine, [], { colours: true, interactive: true });
	expect([code, err]).toEqual([1, expect.stringMatching(/… PreToolUse, marker set/)]);
	expect(out).toMatch(/\u001b\[31mFAIL\u001b\[39m disableAllHooks +set in .*\n +\S*-> take "disableAllHooks" out of/);
	expect(out).toContain("1 failed, 0 warnings.");
});

test("before any install; --json is one object with ok, checks and commands", async () => {
	const machine = makeFixture();
	settings(machine.user, { statusLine: { type: "command", command: "echo mine" } });
	expect((await doctor(machine)).out).toMatch(/info status line +another one, in .*settings\.json/);
	const { json } = await doctor(machine, ["--json"], { interactive: true });
	expect(json).toMatchObject({ ok: false, commands: [] });
	const fix = `run \`${machine.launcher} install\``;
	expect(json.checks).toContainEqual(expect.objectContaining({ id: "settings.registered", status: "fail", fix }));
});
