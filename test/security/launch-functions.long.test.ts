/** Attack 1: where sh is bash, a function from the environment stands for no command of the launcher. */
import { readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { parse } from "unbash";
import { describe, expect, test } from "vitest";
import { LAUNCHER, runMeasured } from "../kit/sandbox.ts";
import { bashAsSh, caught, fromSource, type LaunchPlace, place } from "./launch-fixture.ts";

/** The words that stand for a command in a shell text, scripts in its words as well. */
function commandWords(node: unknown, words = new Set<string>()): Set<string> {
	if (node === null || typeof node !== "object") return words;
	const { type, name } = node as { type?: string; name?: { text: string } };
	if (type === "Command" && name) words.add(name.text);
	// (what stands in a word is worked out when it is asked for)
	const { value, parts, script } = node as Record<string, unknown>;
	for (const below of [...Object.values(node), value, parts, script]) commandWords(below, words);
	return words;
}

const TEXT = readFileSync(LAUNCHER, "utf8");
const OWN = [...TEXT.matchAll(/^(\w+)\(\) \{$/gm)].map((match) => match[1]!);
/** POSIX: these come before functions. */
const SPECIAL = "break : . continue eval exec exit export readonly return set shift times trap unset".split(" ");
// `"$candidate"` is a path
const WORDS = [...commandWords(parse(TEXT))].filter((word) => !/[$/]/.test(word));

test("every command word is a function of the launcher, a special builtin, or freed of functions", () => {
	expect(WORDS).toEqual(expect.arrayContaining(["[", "read", "readlink", "find", "cat", "umask", "note_missed"]));
	const freed = /^unset -f (.*) 2>/m.exec(TEXT)![1]!.replace("'['", "[").split(" ");
	expect(WORDS.filter((word) => ![...OWN, ...SPECIAL, ...freed].includes(word))).toEqual([]);
});

const STARTS: [string[], Record<string, string>][] = [
	[["--version"], {}],
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
