import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { endableRuns, makeSandbox, registeredCommands, runRegistered } from "../../src/doctor/sandbox.ts";
import { runProcess } from "../../src/install/run-process.ts";
import { scratch } from "../scratch-home.ts";

const AT = { cwd: "/", env: { PATH: "/usr/bin:/bin" } };

test("a registered command gets the sandbox's home and session, and nothing of the caller's", async () => {
	const at = makeSandbox(scratch(), { machine: { PATH: "/usr/bin:/bin", LANG: undefined } });
	const { out, err, code } = await runRegistered(
		'cat; pwd; env | sort | grep -v "^\\(PWD\\|OLDPWD\\|SHLVL\\|_\\)="',
		at,
		{
			input: "payload\n",
		},
	);
	const env = [`CLAUDE_CODE_SESSION_ID=s-1`, `CLAUDE_PROJECT_DIR=${at.project}`, `HOME=${at.home}`];
	expect(out.split("\n")).toEqual(["payload", at.project, ...env, "PATH=/usr/bin:/bin", ""]);
	expect({ err, code }).toEqual({ err: "", code: 0 });
});

test("the registered commands are read by event, in their order", () => {
	const at = makeSandbox(scratch());
	const group = (...commands: string[]) => ({ hooks: commands.map((command) => ({ type: "command", command })) });
	const settings = { hooks: { Stop: [group("a", "b"), group("c")] }, statusLine: { command: "d" } };
	mkdirSync(join(at.home, ".claude"));
	writeFileSync(join(at.home, ".claude", "settings.json"), JSON.stringify(settings));
	expect(registeredCommands(at.home)).toEqual({ Stop: ["a", "b", "c"], statusLine: ["d"] });
});

test("a program that can't start, fails or is killed gives its reason", async () => {
	expect(await runProcess(["/no/such"], AT)).toMatchObject({ code: null, err: expect.stringContaining("/no/such") });
	expect(await runProcess(["/bin/sh", "-c", "echo no >&2; exit 3"], AT)).toMatchObject({ code: 3, err: "no\n" });
	expect(await runProcess(["/bin/sh", "-c", "kill -9 $$"], AT)).toMatchObject({ code: null, timedOut: false });
});

test("at the time limit what it printed is kept, also where a process outside the group holds its output", async () => {
	const command = "echo begun; setsid sleep 5 & exec sleep 6";
	const { ms, ...ran } = await runProcess(["/bin/sh", "-c", command], { ...AT, timeLimitMs: 300 });
	expect(ran).toMatchObject({ code: null, out: "begun\n", timedOut: true });
	expect(ms).toBeLessThan(4_000);
});

test("what is printed beyond the limit is read, so that the program ends as it would, and not kept", async () => {
	const { out, ...ran } = await runProcess(["/bin/sh", "-c", "head -c 9000000 /dev/zero && exit 4"], AT);
	expect(ran).toMatchObject({ code: 4, err: "", timedOut: false });
	expect(out.length).toBeLessThan(2_000_000);
});

test("ending the runs ends what they started", async () => {
	const { run, end } = endableRuns();
	const sign = join(scratch(), "sign");
	let isDone = false;
	void run(["/bin/sh", "-c", `(sleep 1; : >'${sign}') & wait`], AT).then(() => {
		isDone = true;
	});
	await Bun.sleep(200);
	await end();
	await Bun.sleep(1_300);
	expect({ isDone, written: existsSync(sign) }).toEqual({ isDone: false, written: false });
});
