/** Attack 1: arguments, folders of any kind, and what a start looks at; and what must go on as before. */
import { mkdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runMeasured } from "../kit/sandbox.ts";
import { attacksOf } from "./kit.ts";
import { caught, evil, KINDS, place, plantIn, start } from "./launch-fixture.ts";

const [TSCONFIG, BUNFIG] = attacksOf("launch folders").map(([, script]) => script) as [string, string];

const ARGUMENTS = [
	"--preload=./e.ts",
	"--config=./bunfig.toml status",
	"-e require('./e.ts')",
	"run ./e.ts",
	"hook post-tool-batch --preload=./e.ts",
	"statusline --preload=./e.ts",
	`hook ${"../".repeat(20)}PROJECT/e`,
	"hook /PROJECT/e",
];
test.concurrent.each(ARGUMENTS)("arguments like Bun's, or a way out: ccg %s", async (line) => {
	const at = place();
	plantIn(at, BUNFIG);
	writeFileSync(join(at.project, "e.js"), evil(at));
	await start(at, line.replace("PROJECT", at.project.slice(1)).split(" "));
	expect(caught(at)).toBe(false);
});

const STRANGE = [
	'it\'s a "folder" $(touch x) `touch y`',
	"two\nlines",
	"--preload=e.ts",
	"é\u202e:;*?[",
	" ",
	"${IFS}",
];
test.concurrent.each([...STRANGE, "link"])("a hostile folder named %j", async (name) => {
	const at = place();
	const cwd = join(at.project, name);
	if (name === "link") symlinkSync(at.parent, cwd);
	else mkdirSync(cwd);
	plantIn(at, TSCONFIG, cwd);
	for (const entry of KINDS) await entry.start(at, { cwd, env: { PWD: cwd } });
	expect(caught(at)).toBe(false);
});

test("a folder that is gone: hooks stay silent, the command line says so", async () => {
	const at = place();
	const away = ["/bin/sh", "-c", 'mkdir gone && cd gone && rmdir ../gone && exec "$@"', "sh"];
	const inGone = (...args: string[]) => start(at, args, { program: [...away, at.launcher] });
	expect(await inGone("hook", "session-start")).toMatchObject({ code: 0 });
	const line = await inGone("statusline", "--wrap", "echo mine");
	expect(line).toMatchObject({ code: 0, out: expect.stringMatching(/^mine\n/) });
	const said = await inGone("status");
	expect(said).toMatchObject({ code: 1, err: expect.stringContaining("the current folder is gone") });
	expect(said.err.split("\n").length).toBeLessThan(5);
});

/** Calls that name files, as strace writes them. */
const NAMED = /(?:AT_FDCWD, |\()"((?:[^"\\]|\\.)*)"/;

const LOOKS = ["hook post-tool-batch", "hook pre-tool-use", "statusline --wrap :", "recall --help"];
test.each(LOOKS)("ccg %s looks at no file of the working directory or of a folder above it", async (line) => {
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

test("harmless: a wrapped status line runs where, and with what, Claude Code started it", async () => {
	const at = place();
	const own = {
		BUN_OPTIONS: "--smol",
		NODE_OPTIONS: "--max-old-space-size=100",
		NODE_EXTRA_CA_CERTS: "/etc/a file's name",
		BUN_JSC_useJIT: "1",
		PWD: at.project,
	};
	const ours = ["CCG_CWD", "CCG_KEPT_BUN_OPTIONS", "BUN_RUNTIME_TRANSPILER_CACHE_PATH"];
	const words = [...Object.keys(own), ...ours].map((name) => `"$${name}"`);
	const line = `pwd -P; printf '<%s>\\n' ${words.join(" ")}`;
	const { out } = await start(at, ["statusline", "--wrap", line], { env: own });
	const told = [...Object.values(own), "", "", ""].map((value) => `<${value}>`);
	expect(out.split("\n").slice(0, words.length + 1)).toEqual([realpathSync(at.project), ...told]);
});
