import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { checkNotes } from "../../src/memory/check.ts";
import { namedThings } from "../../src/memory/named-things.ts";
import { gitIn } from "../kit/git.ts";
import { scratch } from "../scratch-home.ts";
import { place } from "./memory-fixture.ts";

/** A project with these files, and notes on it. */
function project(files: Record<string, string>, notes: string) {
	const made = place(notes);
	for (const [name, text] of Object.entries(files)) {
		mkdirSync(dirname(join(made.cwd, name)), { recursive: true });
		writeFileSync(join(made.cwd, name), text);
	}
	const check = (limits?: Parameters<typeof checkNotes>[2]) => checkNotes(made.root, made.cwd, limits);
	const gone = () => check().gone.map(({ number, paths, symbols }) => [number, ...paths, ...symbols]);
	return { ...made, check, gone };
}

const FILES = {
	"src/parse.ts": "export function parseDocument() {}\nconst openIt = parseDocumentX;\n",
	"src/core/rules.ts": "export class RuleSet { apply_all() {} }\n",
	"README.md": "The removedThing is gone.\n",
};

describe("what notes name and is not there", () => {
	test.each([
		["paths that are there", "- `src/parse.ts` and src/core/rules.ts:3, src/core/, `core/rules.ts` and `rules.ts`", []],
		["paths that are gone", "- see `src/print.ts` and src/core/gone.ts", [[1, "src/print.ts", "src/core/gone.ts"]]],
		["a file's name", "- `printer.ts` prints, `parse.ts` parses, `se.ts` is nothing", [[1, "printer.ts", "se.ts"]]],
		["what may be no path", "- `origin/main`, and/or, `feature/x`", []],
		["a folder of the project's", "- `src/nothing` was removed", [[1, "src/nothing"]]],
		["outside of the folder", "- `/etc/hostname-of-nothing.conf` and ~/x/y.ts", []],
		[
			"symbols",
			"- `parseDocument()` `RuleSet.apply_all` `printIt()` `RuleSet.apply_none`",
			[[1, "printIt", "RuleSet.apply_none"]],
		],
		["a part of a name is none", "- `openI_t` `arseDocument`", [[1, "openI_t", "arseDocument"]]],
		["prose is no place of a symbol", "- `removedThing`", [[1, "removedThing"]]],
	])("%s", (_, notes, expected) => expect(project(FILES, notes).gone()).toEqual(expected));

	test("in a repository, from a folder below too; a global note's paths are nobody's in particular", () => {
		const files = { ...FILES, "build/made.ts": "keptInBuild\n" };
		const { cwd, root, write } = project(files, "- `src/parse.ts` `keptInBuild` `goneName` `made.ts`\n");
		gitIn(cwd, cwd, ["init", "-q"]);
		write(join(root, "MEMORY.md"), "- `src/gone.ts` everywhere\n");
		const { gone } = checkNotes(root, join(cwd, "src"));
		expect(gone.map(({ paths, symbols }) => [...paths, ...symbols])).toEqual([["goneName"]]);
	});

	test("nothing is read outside of the folder: links lead nowhere", () => {
		const away = scratch("away");
		writeFileSync(join(away, "secret.ts"), "theHiddenName\n");
		const { cwd, gone } = project({ "src/a.ts": "x\n" }, "- `linked/secret.ts` `theHiddenName` `link.ts`\n");
		symlinkSync(away, join(cwd, "linked"));
		symlinkSync(join(away, "secret.ts"), join(cwd, "link.ts"));
		expect(gone()).toEqual([[1, "linked/secret.ts", "link.ts", "theHiddenName"]]);
	});

	test.each<[string, object, object]>([
		["looks", { looks: 2 }, {}],
		["bytes", { bytes: 10 }, {}],
		["time", { clockMs: 0 }, {}],
		["a file's size", {}, { "src/large.js": "x".repeat(2 * 1024 * 1024) }],
	])("beyond a bound of %s: what was not looked for is told, and nothing is said of it", (_, few, more) => {
		const { check } = project({ ...FILES, ...more }, "- `goneName`, `rules.ts` and other/gone.ts\n");
		const found = check({ looks: 200_000, bytes: 64 * 1024 * 1024, workMs: 4_000, clockMs: 8_000, ...few });
		expect(found.gone.flatMap(({ symbols }) => symbols)).toEqual([]);
		expect(found.gone.flatMap(({ paths }) => paths)).not.toContain("rules.ts");
		expect(found.unseen.join()).toMatch(/(?:too many|not all folders).*so nothing is said of: goneName/);
	});

	test("of many notes the newest are looked at, and it is told; where nothing is named no file is", () => {
		const { check } = project(FILES, Array.from({ length: 2_500 }, (_, i) => `- fact ${i} of x${i}`).join("\n"));
		expect(check()).toMatchObject({ notes: 2_000, searched: 0, unseen: ["the oldest 500 notes were not looked at"] });
	});
});

test("contradictions between the project's notes and those for all are named by their numbers", () => {
	const { root, write, check } = project({}, "- a fact\n- The port is 3000\n");
	write(join(root, "MEMORY.md"), "- the port: 4000\n");
	const said = [
		{ scope: "project", number: 2, text: "- The port is 3000", value: "3000" },
		{ scope: "global", number: 1, text: "- the port: 4000", value: "4000" },
	];
	expect(check().contradictions).toMatchObject([{ key: "port …", said }]);
});

test.each([
	[
		"in backticks, in a command",
		"`./src/parse.ts` or `node make.mjs src/a.ts --all`",
		["src/parse.ts", "src/a.ts"],
		[],
	],
	[
		"bare, with an ending",
		"it is in src/core/text.ts, and (docs/files.md).",
		["src/core/text.ts", "docs/files.md"],
		[],
	],
	["a place in a file", "`src/a.ts:12` and src/b.ts:3:4 and src/c.ts#L7", ["src/a.ts", "src/b.ts", "src/c.ts"], []],
	["no path", "and/or, 1/2, https://example.com/a/b.html, example.com/docs/a.md, text/html, @scope/pkg.js", [], []],
	["no path either", "~/a.md $HOME/x.ts ../up/a.ts src/**/*.ts src/<name>.ts `node.js` -x/y.ts", [], []],
	["camel case, a call, underscores", "`HTTPServer` `open()` `MAX_BYTES`", [], ["HTTPServer", "open", "MAX_BYTES"]],
	["parts", "`SearchIndex.open()` `std::move` `Store#write`", [], ["SearchIndex.open", "std::move", "Store#write"]],
	["no symbol", "parseDocument `main` `npm test` `a.b` `--no-cache` `x = y`", [], []],
])("named: %s", (_, text, paths, symbols) => {
	const named = namedThings(text);
	expect([named.paths.map(({ path }) => path), named.symbols]).toEqual([paths, symbols]);
});

test("at most 100 of each are named, and long texts take no time", () => {
	const many = Array.from({ length: 300 }, (_, i) => `\`src/f${i}.ts\` \`nameOf${i}x\``).join(" ");
	const { paths, symbols } = namedThings(many);
	expect([paths.length, symbols.length]).toEqual([100, 100]);
	const began = performance.now();
	for (const text of ["`".repeat(64_000), "a/".repeat(32_000), "a.".repeat(32_000), `\`${"a_".repeat(30_000)}\``])
		namedThings(text);
	expect(performance.now() - began).toBeLessThan(1_000);
});
