import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { agrees, folder, ownStatus, repository } from "./fixture.ts";

const IGNORES: [string, string, string[]][] = [
	["names", "*.log\nbuild\n!keep.log\n", ["x.log", "keep.log", "build", "src/build/x", "src/x.log", "ok"]],
	["folders only", "out/\n", ["out", "src/out/x"]],
	["from the top", "/only\nsrc/gen\n", ["only", "src/only", "src/gen/x", "lib/src/gen/x"]],
	["in between", "a/**/z\n**/deep\nend/**\n", ["a/z", "a/b/c/z", "q/deep/x", "end/x/y", "az"]],
	["brackets", "[abc].txt\n[!x-z]1\n[[:digit:]]n\n[a\n", ["a.txt", "d.txt", "a1", "x1", "7n", "[a"]],
	["question marks and stars", "?.c\na*b*c\n**x\n", ["a.c", "ab.c", "aXbYc", "ac", "yx", "d/yx"]],
	[
		"escapes and comments",
		"#no\n\\#yes\n\\!bang\nsp\\ \ntrail   \n\\*\n",
		["#yes", "!bang", "sp ", "trail", "*", "#no"],
	],
	["taken back below a folder left out", "dir/*\n!dir/keep\nall/\n!all/keep\n", ["dir/keep", "dir/x", "all/keep"]],
	["line ends of Windows", "*.tmp\r\nzz\r\n", ["a.tmp", "zz"]],
	["slashes", "a//b\n//c\n/\n", ["a/b", "c", "d"]],
	["everything but", "*\n!*/\n!*.ts\n", ["a.ts", "b.js", "d/e.ts", "d/e.js"]],
];

describe("what is ignored", () => {
	test.each(IGNORES)("%s", (_, rules, paths) => {
		const place = folder();
		place.git("init", "-q");
		place.git("config", "status.showUntrackedFiles", "all");
		for (const path of paths) place.write(path, "x");
		place.write(".gitignore", rules);
		agrees(place);
		place.git("config", "status.showUntrackedFiles", "normal");
		agrees(place);
	});

	test("rules in deeper folders count first, then the repository's, then the user's", () => {
		const place = repository();
		place.write(".gitignore", "*.a\n!own.b\n");
		place.write("dir/.gitignore", "!in.a\n/here\n");
		place.write(".git/info/exclude", "*.b\nuser.c\n");
		mkdirSync(join(place.home, ".config", "git"), { recursive: true });
		writeFileSync(join(place.home, ".config", "git", "ignore"), "*.c\n");
		for (const name of [
			"x.a",
			"in.a",
			"own.b",
			"x.b",
			"x.c",
			"here",
			"dir/in.a",
			"dir/here",
			"dir/deep/here",
			"dir/x.c",
		])
			place.write(name, "x");
		agrees(place);
		writeFileSync(
			join(place.home, ".gitconfig"),
			"[core]\n\texcludesFile = ~/mine # of mine\n[include]\n\tpath = more\n",
		);
		writeFileSync(join(place.home, "mine"), "here\n");
		writeFileSync(join(place.home, "more"), "[status]\n\tshowUntrackedFiles = all\n");
		agrees(place);
	});

	test("tracked files in an ignored folder are compared, new ones there are not named", () => {
		const place = repository();
		place.write(".gitignore", "dir\n");
		place.write("dir/c", "changed\n");
		place.write("dir/new", "x");
		agrees(place);
	});

	test("a .gitignore that is a link is not read", () => {
		const place = repository();
		writeFileSync(join(place.home, "rules"), "*\n");
		symlinkSync(join(place.home, "rules"), join(place.top, ".gitignore"));
		place.write("new", "x");
		agrees(place);
	});
});

test("patterns that match in many ways take no time", () => {
	const place = folder();
	place.git("init", "-q");
	const stars = "a*".repeat(400);
	place.write(
		".gitignore",
		`${`${stars}b\n`.repeat(50)}${`${"**/x/".repeat(100)}y\n`.repeat(20)}[${"a".repeat(900)}\n`,
	);
	for (let i = 0; i < 20; i++) place.write(`${"a".repeat(200)}${i}`, "x");
	place.write(`${"x/".repeat(40)}z`, "x");
	// (git itself does not come back from these)
	const start = performance.now();
	expect(ownStatus(place.top, place.home)?.lines.length).toBeGreaterThan(0);
	expect(performance.now() - start).toBeLessThan(2_000);
});
