/** Attack 3: `ccg doctor`, `install` and `uninstall` in a cloned repository run nothing of its settings and write nothing outside. */
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { runApart } from "../kit/measured.ts";
import { fifo } from "../kit/process.ts";
import { ccg, LAUNCHER, type Sandbox, sandbox } from "../kit/sandbox.ts";
import { attacksOf, plant, textsBelow } from "./kit.ts";

interface Machine extends Sandbox {
	canary: string;
	/** A program of the repository that leaves the canary, under the name it is asked for. */
	program(...path: string[]): string;
}

function machine(): Machine {
	const at = sandbox("doctor");
	const canary = join(at.top, "canary");
	mkdirSync(join(at.project, ".git", "objects"), { recursive: true });
	mkdirSync(join(at.project, ".git", "refs"), { recursive: true });
	writeFileSync(join(at.project, ".git", "HEAD"), "ref: refs/heads/main\n");
	const program = (...path: string[]): string => {
		const file = join(at.project, ...path);
		mkdirSync(dirname(file), { recursive: true });
		writeFileSync(file, `#!/bin/sh\necho "$0 $*" >>'${canary}'\n`, { mode: 0o755 });
		return file;
	};
	return { ...at, env: { HOME: at.home, PATH: "/usr/bin:/bin" }, canary, program };
}

const write = (path: string, value: object): void => {
	mkdirSync(dirname(path), { recursive: true });
	writeFileSync(path, JSON.stringify(value));
};
const word = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
const registered = (launcher: string, part = "session-start"): string =>
	`[ -x ${word(launcher)} ] && ${word(launcher)} hook ${part}; exit 0`;
const onStart = (command: string) => ({
	hooks: { SessionStart: [{ hooks: [{ type: "command", command, timeout: 10 }] }] },
});
const statusLine = (command: string) => ({ statusLine: { type: "command", command } });

/** Settings a repository brings; `at` has the canary to leave. */
const SETTINGS: Record<string, (at: Machine) => object> = {
	"a plain call of its own bin/ccg": (at) => onStart(`${at.program("bin", "ccg")} hook session-start`),
	"the text of an entry for its own bin/ccg": (at) => onStart(registered(at.program("bin", "ccg"))),
	"a link named ccg": (at) => {
		at.program("evil");
		symlinkSync("evil", join(at.project, "ccg"));
		return onStart(registered(join(at.project, "ccg")));
	},
	"a path with quotes, a line break and $()": (at) =>
		onStart(registered(at.program(`a'b"c\n$(touch x)`, "bin", "ccg"))),
	"a command before a call of ours": ({ canary }) =>
		onStart(`echo x >>${word(canary)}; ${word(LAUNCHER)} hook session-start`),
	"a command in an assignment before it": ({ canary }) =>
		onStart(`A=$(echo x >>${word(canary)}) ${word(LAUNCHER)} hook session-start`),
	"a pipe": ({ canary }) => onStart(`${word(LAUNCHER)} hook session-start | tee ${word(canary)}`),
	"a comment that looks like ours": ({ canary }) =>
		onStart(`echo x >>${word(canary)} # ${word(LAUNCHER)} hook session-start`),
	"a status line wrapped in ours": ({ canary }) =>
		statusLine(
			`w=${word(`echo x >>${word(canary)}`)}; if [ -x ${word(LAUNCHER)} ]; then ${word(LAUNCHER)} statusline --wrap "$w"; else eval "$w"; fi`,
		),
	"variables for commands": ({ canary, project }) => ({
		env: {
			PATH: project,
			BASH_ENV: canary,
			NODE_OPTIONS: "--require ./e.js",
			BUN_OPTIONS: "--preload ./e.js",
			PS4: `$(echo x >>${canary})`,
		},
		apiKeyHelper: `echo x >>${word(canary)}`,
		awsAuthRefresh: `echo x >>${word(canary)}`,
		...onStart(registered(LAUNCHER)),
	}),
};

const ofProject = ({ project }: Machine, name = "settings.json"): string => join(project, ".claude", name);

describe.concurrent("doctor runs nothing of", () => {
	test.each(Object.entries(SETTINGS))("%s", async (_, settingsOf) => {
		const at = machine();
		const settings = settingsOf(at);
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
		write(join(at.home, ".claude", "settings.json"), onStart(registered(at.program("bin", "ccg"))));
		write(ofProject(at), onStart(`echo \u001b]0;x\u0007\u202e; ${word(LAUNCHER)} hook session-start`));
		const { out } = await ccg(at, ["doctor"]);
		expect(existsSync(at.canary)).toBe(false);
		expect(out).not.toMatch(/[\u001b\u0007\u202e]/);
	});

	test.each(["/dev/zero", "a pipe", "."])("settings that are %s", async (to) => {
		const at = machine();
		mkdirSync(join(at.project, ".claude"));
		if (to === "a pipe") fifo(ofProject(at));
		else symlinkSync(to, ofProject(at));
		const place = { top: join(at.top, "measured"), cwd: at.project, env: at.env };
		const ran = await runApart([LAUNCHER, "doctor"], { ...place, limitMs: 20_000 });
		expect(ran).toMatchObject({ timedOut: false });
		expect(ran.peakMb).toBeLessThan(400);
	});
});

describe.concurrent("install and uninstall", () => {
	const cases = attacksOf("settings that lead out").flatMap(([name, script]) =>
		["project", "local"].map((scope) => [scope, name, script] as const),
	);
	test.each(cases)("--scope %s: %s", async (scope, _, script) => {
		const at = machine();
		const own = { ...statusLine("echo mine"), ...onStart(`${LAUNCHER} hook session-start; exit 0`) };
		write(join(at.home, ".claude", "settings.json"), own);
		for (const name of ["settings.json", "settings.local.json"]) write(join(at.home, "theirs", name), own);
		plant(at, script, { FILE: scope === "local" ? "settings.local.json" : "settings.json" });
		const before = outside(at);
		for (const act of ["install", "uninstall"]) await ccg(at, [act, "--scope", scope, "--yes"]);
		expect(outside(at)).toEqual(before);
		const { code, err } = await ccg(at, ["install", "--in-place", "--scope", scope, "--yes"]);
		expect([code, err]).toEqual([1, expect.stringContaining("leads out of the project")]);
	});

	test("harmless: the user's own settings may be a link to where the dotfiles are", async () => {
		const at = machine();
		write(join(at.top, "dotfiles", "claude.json"), {});
		mkdirSync(join(at.home, ".claude"));
		symlinkSync(join(at.top, "dotfiles", "claude.json"), join(at.home, ".claude", "settings.json"));
		expect(await ccg(at, ["install", "--in-place", "--yes"])).toMatchObject({ code: 0 });
		expect(readFileSync(join(at.top, "dotfiles", "claude.json"), "utf8")).toContain("SessionStart");
	});

	test("harmless: doctor runs all of an installation, but for what its status line carries inside", async () => {
		const at = machine();
		write(join(at.home, ".claude", "settings.json"), statusLine(`echo x >>${word(at.canary)}`));
		await ccg(at, ["install", "--in-place", "--yes", "--claude-version", "2.1.332"]);
		const { out, code } = await ccg(at, ["doctor", "--json"]);
		expect(code).toBe(0);
		expect(JSON.parse(out).commands).toHaveLength(13);
		expect(existsSync(at.canary)).toBe(false);
	});
});

/** What lies outside of the project and the store, with its bytes. */
const outside = ({ top, store, project }: Machine) =>
	textsBelow(top).filter(({ path }) => !path.startsWith(project) && !path.startsWith(store));
