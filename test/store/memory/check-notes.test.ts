import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { checkNotes } from "../../../src/store/memory/check-notes.ts";
import { run } from "../../kit/sandbox.ts";
import { scratch } from "../../scratch-home.ts";
import { place } from "./memory-fixture.ts";

const git = (cwd: string, ...args: string[]) =>
	run(["/usr/bin/env", "git", "-c", "user.name=a", "-c", "user.email=a@b", ...args], { env: { HOME: cwd }, cwd });

/** A project with these files, and notes on it. */
function project(files: Record<string, string>, notes: string) {
	const made = place();
	for (const [name, text] of Object.entries(files)) {
		mkdirSync(dirname(join(made.cwd, name)), { recursive: true });
		writeFileSync(join(made.cwd, name), text);
	}
	made.inProject("MEMORY.md", notes);
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
		["paths that are there", "- `src/parse.ts` and src/core/rules.ts:3 and src/core/", []],
		["paths as they end", "- `core/rules.ts`, `rules.ts`, core/rules.ts", []],
		["paths that are gone", "- see `src/print.ts` and src/core/gone.ts", [[1, "src/print.ts", "src/core/gone.ts"]]],
		["a file's name", "- `printer.ts` prints, `parse.ts` parses", [[1, "printer.ts"]]],
		["no end of a name", "- `se.ts` is nothing", [[1, "se.ts"]]],
		["what may be no path", "- `origin/main`, and/or, `feature/x`", []],
		["a folder of the project's", "- `src/nothing` was removed", [[1, "src/nothing"]]],
		["outside of the folder", "- `/etc/hostname-of-nothing.conf` and ~/x/y.ts", []],
		["symbols that are there", "- `parseDocument()` and `RuleSet.apply_all`", []],
		[
			"symbols that are gone",
			"- `printDocument()`, `RuleSet.apply_none`",
			[[1, "printDocument", "RuleSet.apply_none"]],
		],
		["a part of a name is none", "- `openI_t` `arseDocument`", [[1, "openI_t", "arseDocument"]]],
		["prose is no place of a symbol", "- `removedThing`", [[1, "removedThing"]]],
		["plain words are no symbols", "- `print` and parse_nothing", []],
	])("%s", (_, notes, expected) => expect(project(FILES, notes).gone()).toEqual(expected));

	test("in a repository, from a folder below too", async () => {
		const { cwd, root } = project(
			{ ...FILES, "build/made.ts": "keptInBuild\n" },
			"- `src/parse.ts` `keptInBuild` `goneName` `made.ts`\n",
		);
		await git(cwd, "init", "-q");
		await git(cwd, "add", "build");
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

	test("a global note's paths are nobody's in particular", () => {
		const { root, write, check } = project(FILES, "- plain\n");
		write(join(root, "MEMORY.md"), "- `src/gone.ts` everywhere\n");
		expect(check().gone).toEqual([]);
	});
});

describe("bounds", () => {
	const limits = { looks: 200_000, bytes: 64 * 1024 * 1024, workMs: 4_000, clockMs: 8_000 };

	test("when not every file was searched, nothing is said of a symbol, and that is told", () => {
		const { check } = project({ ...FILES, "src/large.js": "x".repeat(2 * 1024 * 1024) }, "- `goneName` src/gone.ts\n");
		const found = check();
		expect(found.gone).toMatchObject([{ paths: ["src/gone.ts"], symbols: [] }]);
		expect(found.unseen).toEqual([
			"1 files were too large or too many to search them for symbols",
			"so nothing is said of: goneName",
		]);
	});

	test.each([
		["looks", { ...limits, looks: 2 }],
		["bytes", { ...limits, bytes: 10 }],
		["time", { ...limits, clockMs: 0 }],
	])("%s", (_, few) => {
		const { check } = project(FILES, "- `goneName`, `rules.ts` and other/gone.ts\n");
		const found = check(few);
		expect(found.gone.flatMap(({ symbols }) => symbols)).toEqual([]);
		expect(found.gone.flatMap(({ paths }) => paths)).not.toContain("rules.ts");
		expect(found.unseen.join()).toMatch(/too many|not all folders/);
	});

	test("many notes: the newest are looked at, and it is told", () => {
		const { check } = project({}, Array.from({ length: 2_500 }, (_, i) => `- fact ${i} of x${i}`).join("\n"));
		expect(check()).toMatchObject({ notes: 2_000, unseen: ["the oldest 500 notes were not looked at"] });
	});

	test("a MEMORY.md of more than 4 MB is refused", () => {
		const { check, memory } = project(FILES, "- a\n".repeat(2 * 1024 * 1024));
		expect(check).toThrow(`${memory} has 8388608 bytes`);
	});

	test("where nothing is named no file is looked at", () => {
		expect(project(FILES, "- plain\n").check()).toMatchObject({ notes: 1, gone: [], searched: 0, unseen: [] });
	});
});

test("contradictions, also between the project's notes and those for all, by their numbers", () => {
	const { root, write, check } = project({}, "- a fact\n- The port is 3000\n");
	write(join(root, "MEMORY.md"), "- the port: 4000\n");
	expect(check().contradictions).toEqual([
		{
			key: "The port",
			said: [
				{ scope: "project", number: 2, text: "- The port is 3000", value: "3000" },
				{ scope: "global", number: 1, text: "- the port: 4000", value: "4000" },
			],
		},
	]);
});
