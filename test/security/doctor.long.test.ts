/** Attack 3: `ccg doctor`, `install` and `uninstall` in a cloned repository run nothing of its settings and write nothing outside. */
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runApart } from "../kit/measured.ts";
import { ccg, LAUNCHER, sandbox } from "../kit/sandbox.ts";
import { attacksOf, plant, put } from "./kit.ts";
import { testScenes } from "./scenes.ts";

function machine() {
	const at = sandbox("doctor");
	plant(at, "git init -q");
	return { ...at, env: { HOME: at.home, PATH: "/usr/bin:/bin" }, canary: join(at.top, "canary") };
}
type Machine = ReturnType<typeof machine>;

/** What scripts of attacks call: a program that leaves the canary, and the text of an entry as ccg registers it. */
const SHELL = `
program() { mkdir -p "\${1%/*}"; printf '#!/bin/sh\\necho x >>%s\\n' "$CANARY" >"$1"; chmod +x "$1"; }
registered() { echo "$1 hook session-start; exit 0"; }
`;
const commandOf = (at: Machine, script: string): string => plant(at, SHELL + script, { CANARY: at.canary, LAUNCHER });
const entry = (command: string) => ({ type: "command", command });
const onStart = (command: string) => ({ hooks: { SessionStart: [{ hooks: [entry(command)] }] } });
const statusLine = (command: string) => ({ statusLine: entry(command) });
const write = (path: string, value: object): void => put(path, JSON.stringify(value));

/** Besides a command, what else in settings could run one. */
const others = ({ canary, project }: Machine) => ({
	env: { PATH: project, BASH_ENV: canary, BUN_OPTIONS: "--preload ./e.js", PS4: `$(echo x >>${canary})` },
	apiKeyHelper: `echo x >>'${canary}'`,
	awsAuthRefresh: `echo x >>'${canary}'`,
});

const ofProject = ({ project }: Machine, name = "settings.json"): string => join(project, ".claude", name);

describe.concurrent("doctor runs nothing of", () => {
	test.each(attacksOf("commands of a repository"))("%s", async (name, script) => {
		const at = machine();
		const command = commandOf(at, script);
		const settings = { ...others(at), ...(name.startsWith("a status line") ? statusLine : onStart)(command) };
		mkdirSync(join(at.project, "sub"));
		for (const name of ["settings.json", "settings.local.json"]) write(ofProject(at, name), settings);
		write(join(at.project, "conf", "settings.json"), settings);
		const { out } = await ccg(at, ["doctor", "--json"]);
		expect(JSON.parse(out)).toMatchObject({ checks: expect.any(Array) });
		await ccg(at, ["doctor"], { cwd: join(at.project, "sub") });
		await ccg(at, ["doctor"], { env: { CLAUDE_CONFIG_DIR: join(at.project, "conf") } });
		expect(existsSync(at.canary)).toBe(false);
	});

	test("a launcher the user's settings name too, and shows nothing that acts on the terminal", async () => {
		const at = machine();
		const command = commandOf(at, "program bin/ccg; registered $PROJECT/bin/ccg");
		write(join(at.home, ".claude", "settings.json"), onStart(command));
		write(ofProject(at), onStart(`echo \u001b]0;x\u0007\u202e; '${LAUNCHER}' hook session-start`));
		const { out } = await ccg(at, ["doctor"]);
		expect(existsSync(at.canary)).toBe(false);
		expect(out).not.toMatch(/[\u001b\u0007\u202e]/);
	});

	test.each(["/dev/zero", "a pipe", "."])("settings that are %s", async (to) => {
		const at = machine();
		mkdirSync(join(at.project, ".claude"));
		plant(at, to === "a pipe" ? "mkfifo .claude/settings.json" : `ln -s ${to} .claude/settings.json`);
		const place = { top: join(at.top, "measured"), cwd: at.project, env: at.env };
		const ran = await runApart([LAUNCHER, "doctor"], { ...place, limitMs: 20_000 });
		expect(ran).toMatchObject({ timedOut: false });
		expect(ran.peakMb).toBeLessThan(400);
	});
});

testScenes("doctor");

test("harmless: doctor runs all of an installation, but for what its status line carries inside", async () => {
	const at = machine();
	write(join(at.home, ".claude", "settings.json"), statusLine(`echo x >>'${at.canary}'`));
	await ccg(at, ["install", "--in-place", "--yes"]);
	const { out, code } = await ccg(at, ["doctor", "--json"]);
	expect(code).toBe(0);
	expect(JSON.parse(out).commands).toHaveLength(12);
	expect(existsSync(at.canary)).toBe(false);
});
