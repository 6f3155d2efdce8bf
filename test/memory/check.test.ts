import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { checkNotes } from "../../src/memory/check.ts";
import { gitIn } from "../kit/git.ts";
import { scratch } from "../scratch-home.ts";
import { place } from "./memory-fixture.ts";

/** A project with these notes and a few files. */
function project(notes: string) {
	const made = place(notes);
	for (const name of ["src/parse.ts", "src/core/rules.ts", "README.md"]) {
		mkdirSync(dirname(join(made.cwd, name)), { recursive: true });
		writeFileSync(join(made.cwd, name), "x");
	}
	return { ...made, gone: () => checkNotes(made.root, made.cwd).gone.map(({ number, paths }) => [number, ...paths]) };
}

test.each([
	["paths that are there", "- `src/parse.ts` and src/core/rules.ts:3, ./src/core/, src/parse.ts#L2.", []],
	[
		"paths that are gone",
		"- fine\n- see `src/print.ts` and src/core/gone.ts!",
		[[2, "src/print.ts", "src/core/gone.ts"]],
	],
	["a folder that is gone", "- `lib/gone.ts`, .old/a.yml:3; lib/gone", [[1, "lib/gone.ts", ".old/a.yml"]]],
	[
		"what may be no path",
		"- `origin/main`, and/or, `core/rules.ts`, gone.ts, https://src/x, a.com/x.html, text/vnd.a-b, v1/2.3",
		[],
	],
	["outside of the folder", "- `/etc/hostname-of-nothing.conf` and ~/src/y.ts ../src/x", []],
])("%s", (_, notes, expected) => expect(project(notes).gone()).toEqual(expected));

test("a global note may be of another project: only below folders that this one has", () => {
	const { root, cwd, write } = project("- fine\n");
	write(join(root, "MEMORY.md"), "- fine\n- `lib/gone.ts` and `src/gone.ts`\n");
	expect(checkNotes(root, cwd)).toMatchObject({
		notes: 3,
		gone: [{ scope: "global", number: 2, paths: ["src/gone.ts"] }],
	});
});

test("in a repository also from a folder below; what lies behind a link is not looked at", () => {
	const away = scratch("away");
	writeFileSync(join(away, "secret.ts"), "x");
	const { cwd, root } = project("- `src/gone.ts` `src/parse.ts` `src/linked/secret.ts` `linked/secret.ts`\n");
	gitIn(cwd, cwd, ["init", "-q"]);
	symlinkSync(away, join(cwd, "src", "linked"));
	symlinkSync(away, join(cwd, "linked"));
	const { gone } = checkNotes(root, join(cwd, "src"));
	expect(gone.map(({ paths }) => paths)).toEqual([["src/gone.ts", "src/linked/secret.ts"]]);
});

test("long and odd notes take no time", () => {
	const { gone } = project(
		[..."`/.:#-@"].map((sign) => `- ${`a${sign}`.repeat(40_000)}\n- ${sign.repeat(90_000)}\n`).join(""),
	);
	const began = performance.now();
	expect(gone()).toEqual([]);
	expect(performance.now() - began).toBeLessThan(1_000);
});
