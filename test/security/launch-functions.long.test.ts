/** Attack 1: where sh is bash, as on macOS and Fedora, a function from the environment stands for no command of the launcher. */
import { readFileSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { printedBy } from "../kit/process.ts";
import { LAUNCHER, runMeasured } from "../kit/sandbox.ts";
import { caught, fromSource, place } from "./launch-fixture.ts";

const TEXT = [LAUNCHER, join(dirname(LAUNCHER), "find-bun")].map((path) => readFileSync(path, "utf8")).join("\n");
const OWN = [...TEXT.matchAll(/^(\w+)\(\) \{/gm)].map((match) => match[1]!);
/** POSIX: these come before functions. */
const SPECIAL = "break : . continue eval exec exit export readonly return set shift times trap unset".split(" ");
/** Names of programs that stand there as values and in sentences. */
const VALUES = ["as", "install", "npm", "yes"];
/** Every word that names a builtin or a program of this machine, wherever it stands. */
const CODE = TEXT.replace(/(?:^|\s)#.*$/gm, "").replace(/'[^'\n]*'/g, " ");
const NAMED = [...CODE.matchAll(/(?<![\w$/.\-"%*@<>{])([a-z_]+|\[|\.|:)(?=[\s;)]|$)/gm)].map((match) => match[1]!);
const BUILTINS = printedBy(["/bin/bash", "-c", "compgen -b"]).split("\n");
const isCommand = (word: string): boolean => BUILTINS.includes(word) || Bun.which(word) !== null || OWN.includes(word);
const WORDS = [...new Set(NAMED)].filter((word) => isCommand(word) && !VALUES.includes(word));

test("every command word is a function of the launcher, a special builtin, or freed of functions", () => {
	expect(WORDS).toEqual(expect.arrayContaining(["[", "read", "readlink", "find", "cat", "umask", "note_missed"]));
	const freed = /^unset -f (.*) 2>/m.exec(TEXT)![1]!.replace("'['", "[").split(" ");
	expect(WORDS.filter((word) => ![...OWN, ...SPECIAL, ...freed].includes(word))).toEqual([]);
});

const STARTS = [
	"config",
	"hook session-start",
	"hook pre-compact",
	"hook pre-tool-use",
	"statusline --wrap /bin/echo",
] as const;
test.each(STARTS)("functions of all those names in the environment: ccg %s, with Bun and without", async (line) => {
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
