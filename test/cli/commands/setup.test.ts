import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { makePlugin } from "../../../scripts/make-plugin.ts";
import { ccg, type Sandbox, sandbox } from "../../kit/sandbox.ts";
import { scratch } from "../../scratch-home.ts";

const root = join(scratch("plugin"), "ccg");
makePlugin(root);
// bytecode of all takes four seconds of work
for (const folder of ["src", "hooks"]) rmSync(join(root, "dist", folder), { recursive: true });

function write(path: string, value: object): void {
	mkdirSync(dirname(path), { recursive: true });
	writeFileSync(path, JSON.stringify(value));
}

/** A home in which Claude Code has installed the plugin; `settings` are the user's. */
function withPlugin(settings: object, id = "ccg@a"): Sandbox & { user: string; data: string } {
	const at = sandbox();
	const claude = join(at.home, ".claude");
	const records = { [id]: [{ scope: "user", installPath: root, version: "0.1.0" }] };
	write(join(claude, "plugins", "installed_plugins.json"), { version: 2, plugins: records });
	write(join(claude, "settings.json"), settings);
	return { ...at, user: join(claude, "settings.json"), data: join(claude, "plugins", "data", id.replace("@", "-")) };
}

const text = (path: string): string => readFileSync(path, "utf8");

test("shows the line, adds it around the user's own, and gives the file back to the byte", async () => {
	const at = withPlugin({ enabledPlugins: { "ccg@a": true }, statusLine: { type: "command", command: "echo mine" } });
	const before = text(at.user);
	const { out, code } = await ccg(at, ["setup", "--dry-run"]);
	expect([code, text(at.user)]).toEqual([0, before]);
	expect(out).toContain("Its command: echo mine");
	expect(existsSync(at.data)).toBe(false);

	expect((await ccg(at, ["setup", "--yes"])).out).toContain("the status line");
	const { statusLine, hooks } = JSON.parse(text(at.user));
	const launcher = `${at.data}/app/current/bin/ccg`;
	expect(statusLine.command).toContain(`if [ -x ${launcher} ]; then ${launcher} statusline --wrap`);
	expect(hooks).toBeUndefined();
	expect(existsSync(launcher)).toBe(true);
	expect((await ccg(at, ["setup", "--yes"])).out).toContain("Already set up");

	// whoever has the plugin keeps the line
	await ccg(at, ["setup", "--undo-gone"]);
	expect(text(at.user)).not.toBe(before);
	await ccg(at, ["setup", "--undo", "--yes"]);
	expect(text(at.user)).toBe(before);
});

test("without a terminal it names the command that would do it", async () => {
	const at = withPlugin({ enabledPlugins: { "ccg@a": true } });
	const { code, err } = await ccg(at, ["setup"]);
	expect([code, err]).toEqual([2, expect.stringMatching(/ setup --yes/)]);
});

test.each<[string, object, string[], string]>([
	["hooks of ccg install are there", { enabledPlugins: { "ccg@a": true } }, ["install", "--yes"], "nothing to set up"],
	["no plugin is enabled", {}, [], "no plugin of ccg's is installed and enabled"],
])("changes nothing where %s", async (_, settings, first, said) => {
	const at = withPlugin(settings);
	if (first.length > 0) await ccg(at, first);
	const before = text(at.user);
	const { out, err } = await ccg(at, ["setup", "--yes"]);
	expect(out + err).toContain(said);
	expect(text(at.user)).toBe(before);
});

test("a plugin that only a repository's settings enable is not registered", async () => {
	const at = withPlugin({}, "ccg@evil");
	write(join(at.project, ".claude", "settings.json"), { enabledPlugins: { "ccg@evil": true } });
	const { code, err } = await ccg(at, ["setup", "--yes"]);
	expect([code, err]).toEqual([1, expect.stringContaining("no plugin of ccg's")]);
});
