import { chownSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parseGitConfig } from "../../src/git/config.ts";
import { findRepository } from "../../src/git/repository.ts";
import { corpus } from "../kit/corpus.ts";
import { printedBy } from "../kit/process.ts";
import { scratch } from "../scratch-home.ts";

const [VALUES] = Object.values(corpus(join(import.meta.dirname, "git.txt")));

test.each(VALUES!)("a configuration as git reads it: %s", (row) => {
	const [, text, name, value] = /^(".*") (\S+) => (.*)$/.exec(row)!;
	const found = parseGitConfig(JSON.parse(text!)).findLast(([one]) => one === name);
	expect(found?.[1] ?? null).toBe(JSON.parse(value!));
});

test("a repository counts for its owner alone", () => {
	const top = scratch("owner");
	printedBy(["git", "init", "-q", top]);
	mkdirSync(join(top, "src"));
	expect(findRepository(join(top, "src"))).toMatchObject({ top, repository: { top } });
	// (root alone can give a folder away)
	if (process.getuid?.() !== 0) return;
	chownSync(join(top, ".git"), 4711, 4711);
	expect(findRepository(join(top, "src"))).toBeNull();
});
