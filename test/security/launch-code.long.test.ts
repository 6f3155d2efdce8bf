/**
 * Attack 1: what lies in a folder, or what a repository's settings, direnv or mise have set, does not become code in ccg's process,
 * however ccg is started there.
 */
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { printedBy } from "../kit/process.ts";
import { LAUNCHER, runMeasured } from "../kit/sandbox.ts";
import { attacksOf } from "./kit.ts";
import LAUNCH from "./launch.json";
import {
	bareClone,
	caught,
	compiledCopy,
	enter,
	evil,
	fromSource,
	place,
	plantIn,
	putEvilProgram,
	start,
} from "./launch-fixture.ts";

const FOLDERS = attacksOf("launch folders");
const [TSCONFIG, BUNFIG] = FOLDERS.map(([, script]) => script) as [string, string];
const VARIABLES = attacksOf("launch variables");
const COPY = compiledCopy();
const { kinds: KINDS, commands: COMMANDS } = LAUNCH;

describe.concurrent("a folder, as ccg is", () => {
	const source = { launcher: fromSource() };
	const cases = [
		...[...LAUNCH.registered, ...COMMANDS].map((entry) => ["installed", entry]),
		...KINDS.flatMap((entry) => ["compiled", "from source"].map((how) => [how, entry])),
	] as [how: string, entry: string][];
	test.each(cases)("%s: %s", async (how, entry) => {
		const at = place({ installed: {}, compiled: await COPY, "from source": source }[how]);
		for (const folder of [at.project, at.parent, at.top]) for (const [, script] of FOLDERS) plantIn(at, script, folder);
		await enter(at, entry);
		expect(caught(at)).toBe(false);
	});
});

test.concurrent.each(VARIABLES)("a variable: %s", async (_, script) => {
	for (const entry of [COMMANDS[0]!, ...KINDS])
		for (const installed of [{}, await COPY]) {
			const at = place(installed);
			const { code, out, err } = await enter(at, entry, { env: plantIn(at, script) });
			expect([entry, caught(at), code, err]).toEqual([entry, false, 0, ""]);
			expect(out).not.toContain("JSC options");
		}
});

describe.concurrent("a program of the workspace, with", () => {
	const bare = fromSource({ modules: false });
	const cases = (["workspace paths", "relative paths", "workspace homes"] as const).flatMap((group) =>
		attacksOf(group).map(([name, script]) => [group, name, script] as const),
	);
	test.each(cases)("%s: %s", async (group, _, script) => {
		const at = place();
		const folders = [at.project, at.parent].flatMap((folder) => [folder, join(folder, "tools")]);
		for (const folder of folders) for (const name of LAUNCH.programs) putEvilProgram(at, join(folder, name));
		const link = join(at.top, "ccg");
		symlinkSync(at.launcher, link);
		const env = { PATH: "/nowhere", ...plantIn(at, script) };
		const lines = [["config"], ["hook", "post-tool-use"], ["status", "--machine"]];
		// (what a person wrapped is looked for on the PATH that it was given)
		if (group === "relative paths") lines.push(["statusline", "--wrap", "mytool; git status"]);
		for (const program of [[link], [bare], [bareClone(at)]])
			for (const args of lines) await start(at, args, { env, program });
		expect(caught(at)).toBe(false);
	});
});

test.concurrent.each(LAUNCH.arguments)("arguments like Bun's, or a way out: ccg %s", async (line) => {
	const at = place();
	plantIn(at, BUNFIG);
	writeFileSync(join(at.project, "e.js"), evil(at));
	await start(at, line.replace("PROJECT", at.project.slice(1)).split(" "));
	expect(caught(at)).toBe(false);
});

test.concurrent.each([...LAUNCH["strange folders"], "link"])("a hostile folder named %j", async (name) => {
	const at = place();
	const cwd = join(at.project, name);
	if (name === "link") symlinkSync(at.parent, cwd);
	else mkdirSync(cwd);
	plantIn(at, TSCONFIG, cwd);
	for (const entry of KINDS) await enter(at, entry, { cwd, env: { PWD: cwd } });
	expect(caught(at)).toBe(false);
});

test.each(FOLDERS.slice(0, 2))("harmless: the traps work, a Bun by itself falls into %s", async (_, script) => {
	const at = place();
	plantIn(at, script);
	writeFileSync(join(at.top, "empty.ts"), "");
	await runMeasured([process.execPath, join(at.top, "empty.ts")], { cwd: at.project, env: { HOME: at.home } });
	expect(caught(at)).toBe(true);
});

test("harmless: the traps work, the compiled program without the launcher falls into a variable", async () => {
	const at = place();
	await start(at, ["hooks/stop"], { env: plantIn(at, VARIABLES[0]![1]), program: [(await COPY).program] });
	expect(caught(at)).toBe(true);
});

// where sh is bash, as on macOS and Fedora, a function from the environment stands for no command of the launcher
const TEXT = [LAUNCHER, join(dirname(LAUNCHER), "find-bun")].map((path) => readFileSync(path, "utf8")).join("\n");
const OWN = [...TEXT.matchAll(/^(\w+)\(\) \{/gm)].map((match) => match[1]!);
/** Every word that names a builtin or a program of this machine, wherever it stands. */
const CODE = TEXT.replace(/(?:^|\s)#.*$/gm, "").replace(/'[^'\n]*'/g, " ");
const NAMED = [...CODE.matchAll(/(?<![\w$/.\-"%*@<>{])([a-z_]+|\[|\.|:)(?=[\s;)]|$)/gm)].map((match) => match[1]!);
const COMMAND_WORDS = [...printedBy(["/bin/bash", "-c", "compgen -b"]).split("\n"), ...OWN];
const WORDS = [...new Set(NAMED)].filter(
	(word) => (COMMAND_WORDS.includes(word) || Bun.which(word)) && !LAUNCH["no commands"].includes(word),
);

test("every command word is a function of the launcher, a special builtin, or freed of functions", () => {
	expect(WORDS).toEqual(expect.arrayContaining(["[", "read", "readlink", "find", "cat", "umask", "note_missed"]));
	const freed = /^unset -f (.*) 2>/m.exec(TEXT)![1]!.replace("'['", "[").split(" ");
	// (POSIX: special builtins come before functions)
	const held = [...OWN, ...LAUNCH["special builtins"], ...freed];
	expect(WORDS.filter((word) => !held.includes(word))).toEqual([]);
});

test.each(LAUNCH["with functions"])("functions of all those names: ccg %s, with Bun and without", async (line) => {
	const at = place();
	const sh = join(at.top, "sh");
	symlinkSync("/bin/bash", sh);
	const functions = WORDS.map((word) => [`BASH_FUNC_${word}%%`, `() {  builtin echo ${word} >>'${at.canary}'\n}`]);
	const env = { ...at.env, CCG_TRIES: "5", ...Object.fromEntries(functions) };
	const input = at.input.replace('"source":"startup"', '"source":"compact"');
	for (const [n, launcher] of [at.launcher, fromSource({ modules: false })].entries()) {
		const link = join(at.top, `ccg-${n}`);
		symlinkSync(launcher, link);
		await runMeasured([sh, link, ...line.split(" ")], { cwd: at.project, env, input });
	}
	expect(caught(at)).toBe(false);
});
