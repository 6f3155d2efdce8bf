import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { disagreements, releasedChangelog } from "../scripts/release.ts";
import { printedBy, runNow } from "./kit/process.ts";
import { scratch } from "./scratch-home.ts";

const ROOT = resolve(import.meta.dirname, "..");
const json = (path: string) => JSON.parse(readFileSync(join(ROOT, path), "utf8"));

test("what was unreleased gets the version and the day; without any there is no release", () => {
	const before = "# Changelog\n\n## Unreleased\n\nNew:\n\n- one\n\n## 0.1.0\n\n- zero\n";
	expect(releasedChangelog(before, "0.2.0", "2027-01-02")).toBe(
		"# Changelog\n\n## Unreleased\n\n## 0.2.0 (2027-01-02)\n\nNew:\n\n- one\n\n## 0.1.0\n\n- zero\n",
	);
	expect(() => releasedChangelog("# Changelog\n\n## Unreleased\n\n## 0.1.0\n", "0.2.0", "")).toThrow("nothing under");
});

test("the committed plugin is whole: of one version, with the lockfile of its one dependency", () => {
	const { version } = json("plugins/ccg/.claude-plugin/plugin.json");
	const { dependencies, config, version: own } = json("plugins/ccg/package.json");
	expect([own, config.copy.startsWith(`${version}-`)]).toEqual([version, true]);
	expect(readFileSync(join(ROOT, "plugins/ccg/hooks/run"), "utf8")).toContain(`/app/${config.copy}/bin/ccg`);
	expect(json("plugins/ccg/package-lock.json").packages["node_modules/bun"].version).toBe(dependencies.bun);
	const { hooks } = json("plugins/ccg/hooks/hooks.json");
	for (const part of Object.values(hooks).flatMap((groups) =>
		(groups as { hooks: { args: string[] }[] }[]).flatMap((group) => group.hooks),
	))
		expect(existsSync(join(ROOT, "plugins/ccg/dist/hooks", `${part.args[0]}.js`))).toBe(true);
});

test("what does not agree is named, and a release needs a clean checkout and a newer version", () => {
	const clone = join(scratch("release"), "clone");
	const env = { HOME: scratch("home"), PATH: process.env.PATH ?? "" };
	printedBy(["git", "clone", "--quiet", "--shared", ROOT, clone], { env });
	expect(disagreements(clone).join("\n")).toMatch(/^CHANGELOG\.md has no section of |^$/);
	const bun = [process.execPath, "--config=/dev/null", join(ROOT, "scripts", "release.ts")];
	const release = (...args: string[]) => runNow([...bun, ...args], { cwd: ROOT, env }).err;
	expect(release("0.0.1")).toContain("is not newer than");
	expect(release("soon")).toContain("is no version");
});
