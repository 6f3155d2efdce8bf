import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { settingsPath } from "../../src/install/settings-path.ts";
import { scratch } from "../scratch-home.ts";

describe("paths", () => {
	it.each([
		["user", { HOME: "/h" }, "/h/.claude/settings.json"],
		["user", { HOME: "/h", CLAUDE_CONFIG_DIR: "/c" }, "/c/settings.json"],
		["user", { CLAUDE_CONFIG_DIR: "c" }, "/repo/sub/c/settings.json"],
		["project", { HOME: "/h", CLAUDE_CONFIG_DIR: "/c" }, "/repo/sub/.claude/settings.json"],
		["local", { HOME: "/h" }, "/repo/sub/.claude/settings.local.json"],
	] as const)("%s with %j", (scope, env, path) => {
		expect(settingsPath(scope, env, "/repo/sub")).toBe(path);
	});

	it.each([
		["a folder", (root: string) => mkdirSync(join(root, ".git"))],
		["a file, as in a worktree", (root: string) => writeFileSync(join(root, ".git"), "gitdir: x")],
	])("local settings lie at the root of the repository, .git being %s", (_, make) => {
		const root = scratch("repo");
		mkdirSync(join(root, "a/b"), { recursive: true });
		make(root);
		expect(settingsPath("local", {}, join(root, "a/b"))).toBe(join(root, ".claude/settings.local.json"));
		expect(settingsPath("project", {}, join(root, "a/b"))).toBe(join(root, "a/b/.claude/settings.json"));
	});

	it("without a home the user's settings are unknown", () => {
		expect(() => settingsPath("user", {}, "/x")).toThrow(expect.objectContaining({ code: "NO_HOME" }));
	});
});
