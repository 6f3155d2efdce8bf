/** Attack 3: `ccg doctor`, `install` and `uninstall` in a cloned repository run nothing of its settings and write nothing outside. */
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { runApart } from "../kit/measured.ts";
import { fifo } from "../kit/process.ts";
import { ccg, LAUNCHER, type Sandbox, sandbox } from "../kit/sandbox.ts";

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
	"a status line of its own bin/ccg": (at) =>
		statusLine(
			`[ -x ${word(at.program("bin", "ccg"))} ] && ${word(join(at.project, "bin", "ccg"))} statusline; exit 0`,
		),
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

const FILES: Record<string, (at: Machine) => string> = {
	"settings.json": ({ project }) => join(project, ".claude", "settings.json"),
	"settings.local.json": ({ project }) => join(project, ".claude", "settings.local.json"),
};

describe.concurrent("doctor runs nothing of", () => {
	const cases = Object.keys(FILES).flatMap((file) => Object.keys(SETTINGS).map((name) => [name, file] as const));
	test.each(cases)("%s, in %s", async (name, file) => {
		const at = machine();
		write(FILES[file]!(at), SETTINGS[name]!(at));
		const { out } = await ccg(at, ["doctor", "--json"]);
		expect(existsSync(at.canary)).toBe(false);
		expect(JSON.parse(out)).toMatchObject({ checks: expect.any(Array) });
	});

	test.each(["its own bin/ccg", "one that wraps"])("settings of a parent folder: %s", async (kind) => {
		const at = machine();
		const wrapping = SETTINGS["a status line wrapped in ours"]!(at);
		write(
			FILES["settings.json"]!(at),
			kind === "one that wraps" ? wrapping : onStart(registered(at.program("bin", "ccg"))),
		);
		mkdirSync(join(at.project, "sub"));
		await ccg(at, ["doctor"], { cwd: join(at.project, "sub") });
		expect(existsSync(at.canary)).toBe(false);
	});

	test("settings that CLAUDE_CONFIG_DIR makes the user's", async () => {
		const at = machine();
		write(join(at.project, "conf", "settings.json"), SETTINGS["a status line wrapped in ours"]!(at));
		await ccg(at, ["doctor"], { env: { CLAUDE_CONFIG_DIR: join(at.project, "conf") } });
		expect(existsSync(at.canary)).toBe(false);
	});

	test("a launcher the user's settings name too", async () => {
		const at = machine();
		write(join(at.home, ".claude", "settings.json"), onStart(registered(at.program("bin", "ccg"))));
		await ccg(at, ["doctor"]);
		expect(existsSync(at.canary)).toBe(false);
	});

	test("what is shown can't act on the terminal", async () => {
		const at = machine();
		write(FILES["settings.json"]!(at), onStart(`echo \u001b]0;x\u0007\u202e; ${word(LAUNCHER)} hook session-start`));
		const { out } = await ccg(at, ["doctor"]);
		expect(out).not.toMatch(/[\u001b\u0007\u202e]/);
	});

	test.each([
		["a file without end", "/dev/zero"],
		["a file that waits", "fifo"],
		["a folder", "."],
	])("%s as settings", async (_, to) => {
		const at = machine();
		mkdirSync(join(at.project, ".claude"));
		const path = join(at.project, ".claude", "settings.json");
		if (to === "fifo") fifo(path);
		else symlinkSync(to, path);
		const place = { top: join(at.top, "measured"), cwd: at.project, env: at.env };
		const ran = await runApart([LAUNCHER, "doctor"], { ...place, limitMs: 20_000 });
		expect(ran).toMatchObject({ timedOut: false });
		expect(ran.peakMb).toBeLessThan(400);
	});
});

describe.concurrent("install and uninstall", () => {
	const TARGETS: Record<string, (at: Machine) => { link: string; to: string }> = {
		"settings.json linked to a file of the home folder": (at) => ({
			link: join(at.project, ".claude", "settings.json"),
			to: join(at.home, "theirs.json"),
		}),
		"settings.json linked to the user's settings": (at) => ({
			link: join(at.project, ".claude", "settings.json"),
			to: join(at.home, ".claude", "settings.json"),
		}),
		"settings.json linked to what does not exist": (at) => ({
			link: join(at.project, ".claude", "settings.json"),
			to: join(at.home, "new.json"),
		}),
		".claude linked to a folder of the home folder": (at) => ({
			link: join(at.project, ".claude"),
			to: join(at.home, "theirs"),
		}),
		".claude linked upwards": (at) => ({ link: join(at.project, ".claude"), to: ".." }),
	};
	const cases = Object.keys(TARGETS).flatMap((name) =>
		["project", "local"].flatMap((scope) => ["install", "uninstall"].map((act) => [act, scope, name] as const)),
	);
	test.each(cases)("%s --scope %s: %s", async (act, scope, name) => {
		const at = machine();
		const { link, to } = TARGETS[name]!(at);
		mkdirSync(dirname(link), { recursive: true });
		const own = { ...statusLine("echo mine"), ...onStart(`${LAUNCHER} hook session-start; exit 0`) };
		for (const path of [join(at.home, "theirs.json"), join(at.home, ".claude", "settings.json")]) write(path, own);
		for (const folder of [join(at.home, "theirs"), join(at.top, "other", ".claude")])
			for (const file of ["settings.json", "settings.local.json"]) write(join(folder, file), own);
		symlinkSync(to, scope === "local" && link.endsWith(".json") ? link.replace(".json", ".local.json") : link);
		const before = snapshot(at);
		await ccg(at, [act, "--scope", scope, "--yes"]);
		expect(snapshot(at)).toEqual(before);
	});

	test("harmless: a link out of the project is told", async () => {
		const at = machine();
		symlinkSync(at.home, join(at.project, ".claude"));
		const ran = await ccg(at, ["install", "--in-place", "--scope", "project", "--yes"]);
		expect(ran.code).toBe(1);
		expect(ran.err).toContain(`${join(at.project, ".claude", "settings.json")} leads out of the project`);
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

/** What lies outside of the project, by path. */
function snapshot(at: Machine): Record<string, string> {
	const paths = [
		"home/theirs.json",
		"home/new.json",
		"home/.claude/settings.json",
		"settings.json",
		"settings.local.json",
	].concat(
		...["home/theirs", "other/.claude"].map((folder) => [`${folder}/settings.json`, `${folder}/settings.local.json`]),
	);
	return Object.fromEntries(
		paths.map((path) => [path, existsSync(join(at.top, path)) ? readFileSync(join(at.top, path), "utf8") : "none"]),
	);
}
