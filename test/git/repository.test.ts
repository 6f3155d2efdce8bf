import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parseConfig } from "../../src/git/config.ts";
import { findRepository } from "../../src/git/repository.ts";
import { corpus } from "../kit/corpus.ts";
import { printedBy } from "../kit/process.ts";
import { scratch } from "../scratch-home.ts";

const [SAFE, VALUES] = Object.values(corpus(join(import.meta.dirname, "git.txt")));

test.each(VALUES!)("a configuration as git reads it: %s", (row) => {
	const [, text, name, value] = /^(".*") (\S+) => (.*)$/.exec(row)!;
	const found = parseConfig(JSON.parse(text!)).findLast(([one]) => one === name);
	expect(found?.[1] ?? null).toBe(JSON.parse(value!));
});

test.each(SAFE!)("a repository of another user counts where safe.directory says so: %s", (row) => {
	const [said, isSafe] = row.split(" => ").map((one) => JSON.parse(one));
	const top = scratch("safe");
	const [home, theirs] = [join(top, "home"), join(top, "theirs")];
	for (const folder of [home, join(theirs, "src")]) mkdirSync(folder, { recursive: true });
	printedBy(["git", "init", "-q", theirs]);
	printedBy(["ln", "-s", top, join(home, "link")]);
	// (what the machine's own says is taken back first)
	writeFileSync(join(home, ".gitconfig"), `[safe]\n\tdirectory =\n\t${said.replaceAll("TOP", top)}\n`);
	const user = { uids: [4711], home, configHome: null };
	const found = findRepository(join(theirs, "src"), user);
	expect(found).toEqual(
		isSafe ? { top: theirs, repository: expect.objectContaining({ top: theirs, kind: "main" }) } : null,
	);
});
