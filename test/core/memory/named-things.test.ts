import { describe, expect, test } from "vitest";
import { namedThings } from "../../../src/core/memory/named-things.ts";

describe("paths", () => {
	test.each([
		["in backticks", "see `src/parse.ts`", ["src/parse.ts"]],
		["bare, with an ending", "it is in src/core/text.ts, and (docs/files.md).", ["src/core/text.ts", "docs/files.md"]],
		["a folder", "tests are in test/store/", ["test/store"]],
		["a place in a file", "`src/a.ts:12` and src/b.ts:3:4 and src/c.ts#L7", ["src/a.ts", "src/b.ts", "src/c.ts"]],
		["from the folder itself", "`./scripts/build.sh`", ["scripts/build.sh"]],
		["a file's name in backticks", "`package.json` and package.json", ["package.json"]],
		["in a command", "run `node scripts/make.mjs --all`", ["scripts/make.mjs"]],
		["absolute", "`/srv/app/main.py`", ["/srv/app/main.py"]],
		["once", "`src/a.ts` src/a.ts", ["src/a.ts"]],
	])("%s", (_, text, paths) => expect(namedThings(text).paths.map(({ path }) => path)).toEqual(paths));

	test.each([
		"and/or, he/she, 1/2, I/O",
		"https://example.com/a/b.html and `http://localhost:3000/x.js`",
		"example.com/docs/a.md",
		"application/json, text/html",
		"~/notes/a.md and $HOME/x/y.ts and ../up/a.ts",
		"src/**/*.ts, src/{a,b}.ts, src/<name>.ts",
		"@scope/pkg.js",
		"`node.js` and `Next.js`",
		"-x/y.ts",
	])("none in %j", (text) => expect(namedThings(text).paths).toEqual([]));

	test("in backticks without an ending it may be something else", () => {
		expect(namedThings("`origin/main` `src/core`").paths).toEqual([
			{ text: "origin/main", path: "origin/main", isSure: false },
			{ text: "src/core", path: "src/core", isSure: false },
		]);
	});
});

describe("symbols", () => {
	test.each([
		["camel case", "`parseDocument` and `HTTPServer`", ["parseDocument", "HTTPServer"]],
		["a call", "`open()`", ["open"]],
		["underscores", "`MAX_BYTES` `snake_case`", ["MAX_BYTES", "snake_case"]],
		["parts", "`SearchIndex.open()` `std::move` `Store#write`", ["SearchIndex.open", "std::move", "Store#write"]],
	])("%s", (_, text, symbols) => expect(namedThings(text).symbols).toEqual(symbols));

	test.each([
		"parseDocument without marks",
		"`main`",
		"`npm test`",
		"`a.b`",
		"`config.json`",
		"`--no-cache`",
		"`x = y`",
	])("none in %j", (text) => expect(namedThings(text).symbols).toEqual([]));
});

test("bounds: at most 100 of each, and long texts take no time", () => {
	const many = Array.from({ length: 300 }, (_, i) => `\`src/f${i}.ts\` \`nameOf${i}x\``).join(" ");
	const { paths, symbols } = namedThings(many);
	expect([paths.length, symbols.length]).toEqual([100, 100]);
	const began = performance.now();
	for (const text of ["`".repeat(64_000), "a/".repeat(32_000), "a.".repeat(32_000), `\`${"a_".repeat(30_000)}\``])
		namedThings(text);
	expect(performance.now() - began).toBeLessThan(1_000);
});
