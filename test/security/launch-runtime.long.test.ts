/** Which Bun the launcher takes where ccg has none of its own, what a start looks at, and what must go on as before. */
import { chmodSync, readFileSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { runMeasured } from "../kit/sandbox.ts";
import { attacksOf, put } from "./kit.ts";
import LAUNCH from "./launch.json";
import { bareClone, bareLauncher, place, plantIn, start } from "./launch-fixture.ts";

const [OWN, OTHER] = process.arch === "arm64" ? (["aarch64", "x64"] as const) : (["x64", "aarch64"] as const);
/** Where a ccg without Bun lies, the programs around it with their versions (that of the home folder, those of PATH), and which it starts. */
const RUNTIMES = Object.entries(LAUNCH.runtimes) as unknown as [string, [string, Record<string, string>, string]][];

test.concurrent.each(RUNTIMES)("the runtime is %s", async (_, [folder, programs, started]) => {
	const at = place();
	const launcher = bareClone(at, folder);
	put(join(at.top, "clone/bin/ccg"), "");
	const placed = (path: string): string => join(at.top, path.replace("OWN", OWN).replace("OTHER", OTHER));
	for (const [path, version] of Object.entries(programs)) {
		// it says its version, and else its name for the test; what is a program of another machine does not run
		const says = `[ "$1" != --version ] || { echo '${version}'; exit; }`;
		put(placed(path), version.endsWith("ELF") ? version : `#!/bin/sh\n${says}\necho "ran $0"\n`);
		chmodSync(placed(path), 0o755);
	}
	const onPath = Object.keys(programs).filter((path) => /^\w+\/bun$/.test(path));
	const env = { PATH: onPath.map((path) => dirname(placed(path))).join(":") || "/nowhere" };
	expect((await start(at, ["config"], { program: [launcher], env })).out).toContain(`ran ${placed(started)}\n`);
});

test("without any Bun the command line says what to do", async () => {
	const at = place();
	// the launcher alone: nothing on this machine is looked for
	const program = [bareLauncher(join(at.top, "ccg"), ["ccg"])];
	const err = expect.stringMatching(/install it, or run 'npm install' in \S+ccg\n$/);
	expect(await start(at, ["status"], { program, env: { CCG_TRIES: "5" } })).toMatchObject({ code: 127, out: "", err });
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

test.each(LAUNCH.looks)("ccg %s looks at no file of the working directory or of a folder above it", async (line) => {
	const at = place();
	const [[, tsconfig], [, bunfig]] = attacksOf("launch folders") as [[string, string], [string, string]];
	plantIn(at, tsconfig);
	plantIn(at, bunfig, at.parent);
	const trace = join(at.home, "trace");
	const strace = ["strace", "-f", "-e", "trace=%file", "-s", "4096", "-o", trace];
	const command = [...strace, realpathSync(at.launcher), ...line.split(" ")];
	await runMeasured(command, { cwd: at.project, env: at.env, input: "{}" });
	const names = readFileSync(trace, "utf8")
		.split("\n")
		.flatMap((line) => (/ chdir\(| getcwd\(|execve\(/.test(line) ? [] : (NAMED.exec(line)?.[1] ?? [])));
	expect(names.length).toBeGreaterThan(20);
	const isBelow = (name: string, folder: string): boolean => name.startsWith(`${folder}/`);
	const wrong = names.filter((name) => {
		// (Bun opens its own folder's files by their names: those are relative to a folder it holds open)
		if (!name.startsWith("/")) return !["", ".", "package.json", "tsconfig.json"].includes(name);
		// a folder's own name is asked for where a shell checks PWD and where ccg goes back to it; nothing in it is
		return isBelow(name, at.top) && !isBelow(name, at.home) && ![at.home, at.project].includes(name);
	});
	// (the settings that Claude Code reads itself, whose variables are not the user's; and whether there may be any)
	expect(wrong.filter((name) => !/\/\.claude(?:\/settings(?:\.local)?\.json)?$/.test(name))).toEqual([]);
});

test("harmless: a wrapped status line runs where, and with what, Claude Code started it", async () => {
	const at = place();
	const own = { ...LAUNCH.wrapped, PWD: at.project };
	const ours = ["CCG_CWD", "CCG_KEPT_BUN_OPTIONS", "BUN_RUNTIME_TRANSPILER_CACHE_PATH"];
	const words = [...Object.keys(own), ...ours].map((name) => `"$${name}"`);
	const line = `pwd -P; printf '<%s>\\n' ${words.join(" ")}`;
	const { out } = await start(at, ["statusline", "--wrap", line], { env: own });
	const told = [...Object.values(own), "", "", ""].map((value) => `<${value}>`);
	expect(out.split("\n").slice(0, words.length + 1)).toEqual([realpathSync(at.project), ...told]);
});
