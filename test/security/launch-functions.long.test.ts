/** Attack 1: where sh is bash, a function from the environment stands for no command of the launcher. */
import { readFileSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { readShell } from "../../src/core/text/read-shell.ts";
import { LAUNCHER, runMeasured } from "../kit/sandbox.ts";
import { bashAsSh, caught, fromSource, type LaunchPlace, place } from "./launch-fixture.ts";

const TEXT = [LAUNCHER, join(dirname(LAUNCHER), "find-bun")].map((path) => readFileSync(path, "utf8")).join("\n");
const OWN = [...TEXT.matchAll(/^(\w+)\(\) \{/gm)].map((match) => match[1]!);
/** POSIX: these come before functions. */
const SPECIAL = "break : . continue eval exec exit export readonly return set shift times trap unset".split(" ");
const PATTERNS = /(^\s*|\bin |;; )[^\s()]+(?: \| [^\s()]+)*\)/gm;
const LEADING = /^(?:if|then|elif|else|while|until|do|[!{]|\w+=.*)$/s;
const GRAMMAR = /^(?:case|esac|fi|done|for|\})$/;
/** The words that stand for a command. `"$candidate"` is a path. */
const WORDS = [
	...new Set(
		readShell(TEXT.replace(PATTERNS, "$1")).commands.flatMap(
			({ words }) => words.find(({ text, start }) => !LEADING.test(text ?? start))?.text ?? [],
		),
	),
].filter((word) => !GRAMMAR.test(word) && !word.includes("/"));

test("every command word is a function of the launcher, a special builtin, or freed of functions", () => {
	expect(WORDS).toEqual(expect.arrayContaining(["[", "read", "readlink", "find", "cat", "umask", "note_missed"]));
	const freed = /^unset -f (.*) 2>/m.exec(TEXT)![1]!.replace("'['", "[").split(" ");
	expect(WORDS.filter((word) => ![...OWN, ...SPECIAL, ...freed].includes(word))).toEqual([]);
});

const STARTS: [string[], Record<string, string>][] = [
	[["config"], {}],
	[["hook", "session-start"], { CCG_TRIES: "4" }],
	[["hook", "session-start"], { CCG_TRIES: "5" }],
	[["hook", "pre-compact"], { CCG_TRIES: "5" }],
	[["hook", "pre-tool-use"], {}],
	[["statusline", "--wrap", "/bin/echo mine"], {}],
];

describe.concurrent("a function in the environment, where sh is bash", () => {
	const sh = bashAsSh();
	const bare = fromSource({ modules: false });
	const functionOf = (at: LaunchPlace, name: string) => ({
		[`BASH_FUNC_${name}%%`]: `() {  builtin echo ${name} >>'${at.canary}'\n}`,
	});

	test.each(WORDS)("%s: with Bun and without", async (word) => {
		const at = place();
		const input = at.input.replace('"source":"startup"', '"source":"compact"');
		for (const [n, launcher] of [at.launcher, bare].entries()) {
			const link = join(at.top, `ccg-${n}`);
			symlinkSync(launcher, link);
			for (const [args, more] of STARTS)
				await runMeasured([sh, link, ...args], {
					cwd: at.project,
					env: { ...at.env, ...more, ...functionOf(at, word) },
					input,
				});
		}
		expect(caught(at)).toBe(false);
	});
});
