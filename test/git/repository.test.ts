import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { findRepository } from "../../src/git/repository.ts";
import { printedBy } from "../kit/process.ts";
import { scratch } from "../scratch-home.ts";

test.each<[string, boolean]>([
	["", false],
	["directory = TOP/theirs", true],
	['Directory = "TOP/theirs/" # in a container', true],
	["directory = ~/link/theirs", true],
	["directory = *", true],
	["directory = TOP/*", true],
	["directory = TOP/their/*", false],
	["directory = theirs", false],
	["directory = TOP", false],
	["directory = *\n\tdirectory =", false],
	["directory = *\n\tdirectory =\n\tdirectory = TOP/theirs", true],
	["other = *", false],
])("a repository of another user counts where safe.directory says so: %j", (said, isSafe) => {
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
