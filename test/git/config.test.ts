import { expect, test } from "vitest";
import { parseConfig } from "../../src/git/config.ts";

test.each<[string, string, string | undefined]>([
	["[core]\n\tworktree = /a # b", "core.worktree", "/a"],
	['[CORE] WorkTree = "/a b" ; c', "core.worktree", "/a b"],
	['[submodule "Li.b"]\npath = x', "submodule.Li.b.path", "x"],
	["[core]\nbare", "core.bare", ""],
	["bare = true", "core.bare", undefined],
	["[core]\na = 1\n[core]\na = 2", "core.a", "2"],
	["[core\na = 1", "core.a", undefined],
])("a configuration as git reads it: %j", (text, name, value) =>
	expect(parseConfig(text).findLast(([one]) => one === name)?.[1]).toBe(value),
);
