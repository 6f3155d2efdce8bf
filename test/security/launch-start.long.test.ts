/** Attack 1: arguments, folders of any kind, and what a start looks at; and what must go on as before. */
import { mkdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runMeasured } from "../kit/sandbox.ts";
import { attacksOf } from "./kit.ts";
import { caught, evil, KINDS, place, plantIn, REGISTERED, start } from "./launch-fixture.ts";

const [TSCONFIG, BUNFIG] = attacksOf("launch folders").map(([, script]) => script) as [string, string];

describe.concurrent("arguments that look like Bun's, or like a way out", () => {
	const ARGUMENTS: [string, (project: string) => string[]][] = [
		["a preload", () => ["--preload=./e.ts"]],
		["a configuration", () => ["--config=./bunfig.toml", "status"]],
		["code", () => ["-e", "require('./e.ts')"]],
		["a file", () => ["run", "./e.ts"]],
		["behind a hook's name", () => ["hook", "post-tool-batch", "--preload=./e.ts"]],
		["behind the status line", () => ["statusline", "--preload=./e.ts"]],
		["a hook out of ccg's folder", (project) => ["hook", `${"../".repeat(20)}${project.slice(1)}/e`]],
		["a hook by its absolute path", (project) => ["hook", `${project}/e`]],
	];
	test.each(ARGUMENTS)("%s", async (_, argumentsOf) => {
		const at = place();
		plantIn(at, BUNFIG);
		writeFileSync(join(at.project, "e.js"), evil(at));
		await start(at, [...argumentsOf(at.project)]);
		expect(caught(at)).toBe(false);
	});
});

describe.concurrent("a folder", () => {
	const STRANGE = [
		'it\'s a "folder" $(touch x) `touch y`',
		"two\nlines",
		"--preload=e.ts",
		"é\u202e:;*?[",
		" ",
		"${IFS}",
	];
	test.each(STRANGE)("named %j with a tsconfig", async (name) => {
		const at = place();
		const folder = join(at.project, name);
		mkdirSync(folder);
		plantIn(at, TSCONFIG, folder);
		for (const entry of KINDS) await entry.start(at, { cwd: folder });
		expect(caught(at)).toBe(false);
	});

	test("that is a link to a hostile one", async () => {
		const at = place();
		plantIn(at, TSCONFIG, at.parent);
		symlinkSync(at.project, join(at.top, "link"));
		const env = { ...at.env, PWD: join(at.top, "link") };
		for (const entry of KINDS) await entry.start(at, { cwd: join(at.top, "link"), env });
		expect(caught(at)).toBe(false);
	});

	test("that is gone: hooks stay silent, the command line says so", async () => {
		const at = place();
		const away = ["/bin/sh", "-c", 'mkdir gone && cd gone && rmdir ../gone && exec "$@"', "sh", at.launcher];
		const inGone = (...args: string[]) =>
			runMeasured([...away, ...args], { cwd: at.project, env: at.env, input: at.input });
		expect(await inGone("hook", "session-start")).toMatchObject({ code: 0 });
		expect(await inGone("statusline", "--wrap", "echo mine")).toMatchObject({
			code: 0,
			out: expect.stringMatching(/^mine\n/),
		});
		const said = await inGone("status");
		expect(said.code).toBe(1);
		expect(said.err).toContain("the current folder is gone");
		expect(said.err.split("\n").length).toBeLessThan(5);
	});
});

/** Calls that name files, as strace writes them. */
const NAMED = /(?:AT_FDCWD, |\()"((?:[^"\\]|\\.)*)"/;

describe("what a start looks at", () => {
	const starts = ["hook post-tool-batch", "hook pre-tool-use", "statusline --wrap :", "recall --help"];
	test.each(starts)("ccg %s: no file of the working directory or of a folder above it", async (line) => {
		const at = place();
		plantIn(at, TSCONFIG);
		plantIn(at, BUNFIG, at.parent);
		const trace = join(at.home, "trace");
		const launcher = realpathSync(at.launcher);
		const strace = ["strace", "-f", "-e", "trace=%file", "-s", "4096", "-o", trace];
		await runMeasured([...strace, launcher, ...line.split(" ")], { cwd: at.project, env: at.env, input: "{}" });
		const names = readFileSync(trace, "utf8")
			.split("\n")
			.flatMap((line) => (/ chdir\(| getcwd\(|execve\(/.test(line) ? [] : (NAMED.exec(line)?.[1] ?? [])));
		expect(names.length).toBeGreaterThan(20);
		// (the settings that Claude Code reads itself, to see whether they set where ccg's store is; and whether there may be any)
		const isSettings = (name: string): boolean => /\/\.claude(?:\/settings(?:\.local)?\.json)?$/.test(name);
		// (the top is above the home too)
		const above = [at.parent, join(at.top, "a")];
		// a folder's own name is asked for where a shell checks PWD and where ccg goes back to it; nothing in it is
		const wrong = names.filter(
			(name) =>
				(name.startsWith(`${at.top}/`) && !name.startsWith(`${at.home}/`) && name !== at.home && name !== at.project) ||
				above.includes(name.replace(/(.)\/$/, "$1")) ||
				(!name.startsWith("/") && name !== "." && name !== ""),
		);
		// (Bun opens its own folder's files by their names: those are relative to a folder it holds open)
		expect(wrong.filter((name) => !["package.json", "tsconfig.json"].includes(name) && !isSettings(name))).toEqual([]);
	});
});

describe.concurrent("harmless:", () => {
	test("a wrapped status line runs where, and with what, Claude Code started it", async () => {
		const at = place();
		const own = {
			BUN_OPTIONS: "--smol",
			BUN_INSTALL: "/opt/bun",
			NODE_OPTIONS: "--max-old-space-size=100",
			NODE_EXTRA_CA_CERTS: "/etc/a file's name",
			BUN_JSC_useJIT: "1",
			PWD: at.project,
		};
		const names = [...Object.keys(own), "CCG_CWD", "CCG_KEPT_BUN_OPTIONS", "BUN_RUNTIME_TRANSPILER_CACHE_PATH"];
		const line = `pwd -P; printf '<%s>\\n' ${names.map((name) => `"$${name}"`).join(" ")}`;
		const env = { ...at.env, ...own };
		const { out } = await start(at, ["statusline", "--wrap", line], { env });
		expect(out.split("\n").slice(0, names.length + 1)).toEqual([
			realpathSync(at.project),
			...Object.values(own).map((value) => `<${value}>`),
			"<>",
			"<>",
			"<>",
		]);
	});

	test("every registered command answers in an ordinary folder", async () => {
		const at = place();
		for (const entry of REGISTERED) expect(await entry.start(at)).toMatchObject({ code: 0, err: "" });
	});
});
