import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { commitPlugin, makeAll, releasedChangelog } from "../scripts/release.ts";
import { printedBy, runNow } from "./kit/process.ts";
import { scratch } from "./scratch-home.ts";

const ROOT = resolve(import.meta.dirname, "..");

test("what was unreleased gets the version and the day; without any there is no release", () => {
	const before = "# Changelog\n\n## Unreleased\n\nNew:\n\n- one\n\n## 0.1.0\n\n- zero\n";
	expect(releasedChangelog(before, "0.2.0", "2027-01-02")).toBe(
		"# Changelog\n\n## Unreleased\n\n## 0.2.0 (2027-01-02)\n\nNew:\n\n- one\n\n## 0.1.0\n\n- zero\n",
	);
	expect(() => releasedChangelog("# Changelog\n\n## Unreleased\n\n## 0.1.0\n", "0.2.0", "")).toThrow("nothing under");
});

test("the plugin on its branch is whole: with a marketplace, of one version, with the lockfile of its one dependency", () => {
	const bare = join(scratch("release"), "bare.git");
	const env = { HOME: scratch("home"), PATH: process.env.PATH ?? "", ...AUTHOR };
	printedBy(["git", "init", "--quiet", "--bare", bare], { env });
	Object.assign(process.env, AUTHOR);
	for (const version of ["7.0.0", "7.0.1"]) commitPlugin(bare, version);
	const git = (...words: string[]) => printedBy(["git", "-C", bare, ...words], { env });
	expect(git("log", "--format=%s", "plugin").trim().split("\n")).toEqual(["Plugin 7.0.1", "Plugin 7.0.0"]);
	const file = (path: string) => git("show", `plugin:${path}`);
	const { plugins } = JSON.parse(file(".claude-plugin/marketplace.json"));
	expect(plugins.map(({ source }: { source: string }) => source)).toEqual(["./ccg", "./queue-plugin"]);
	expect(JSON.parse(file("queue-plugin/.claude-plugin/plugin.json")).name).toBe(plugins[1].name);
	const { version, dependencies } = JSON.parse(file("ccg/package.json"));
	expect(version).toBe("7.0.1");
	expect(JSON.parse(file("ccg/package-lock.json")).packages["node_modules/bun"].version).toBe(dependencies.bun);
});

const AUTHOR = { GIT_AUTHOR_NAME: "t", GIT_AUTHOR_EMAIL: "t@t", GIT_COMMITTER_NAME: "t", GIT_COMMITTER_EMAIL: "t@t" };

test("all that is published is made in a folder, with a list of what is in it and checksums that hold", () => {
	const out = join(scratch("all"), "release");
	makeAll(out);
	makeAll(out);
	expect(printedBy(["sha256sum", "--check", "SHA256SUMS"], { cwd: out }).match(/: OK/g)).toHaveLength(5);
	const packed = printedBy(["tar", "-tzf", join(out, "claude-context-guard-0.1.0.tgz")]);
	expect(packed).toContain("package/bin/ccg\n");
	expect(packed).not.toContain("package/test/");
	expect(printedBy(["tar", "-tzf", join(out, "plugin.tar.gz")])).toContain("./.claude-plugin/plugin.json\n");
	const { components } = JSON.parse(readFileSync(join(out, "sbom.cdx.json"), "utf8"));
	expect(components.map(({ name }: { name: string }) => name)).toContain("commander");
	expect(readFileSync(join(out, "DIRECTORY.md"), "utf8")).toMatch(/\*\*Network:\*\*[\s\S]*Not on Windows/);
	expect(() => makeAll(scratch("there"))).toThrow("is there already");
}, 60_000);

test("a release needs a newer version", () => {
	const bun = [process.execPath, "--config=/dev/null", join(ROOT, "scripts", "release.ts")];
	const release = (version: string) => runNow([...bun, version], { cwd: ROOT, env: { HOME: scratch("home") } }).err;
	expect(release("0.0.1")).toContain("is not newer than");
	expect(release("soon")).toContain("is no version");
});
