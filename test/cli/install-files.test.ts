import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { makePlugin } from "../../scripts/make-plugin.ts";
import { linkPluginLauncher } from "../../src/install/plugin/plugin-folders.ts";
import { ccg, type Sandbox, sandbox } from "../kit/sandbox.ts";
import { scratch } from "../scratch-home.ts";

const root = join(scratch("plugin"), "ccg");
makePlugin(root);
// bytecode of all takes four seconds of work
for (const folder of ["src", "hooks"]) rmSync(join(root, "dist", folder), { recursive: true });

/** A home in which a session has started the plugin; `settings` are the user's. */
function withPlugin(settings: object, id = "ccg@a"): Sandbox & { user: string; data: string; text(): string } {
	const at = sandbox();
	const claude = join(at.home, ".claude");
	const write = (path: string, value: object): void => {
		mkdirSync(dirname(path), { recursive: true });
		writeFileSync(path, JSON.stringify(value));
	};
	write(join(claude, "settings.json"), settings);
	write(join(at.project, ".claude", "settings.json"), { enabledPlugins: { "ccg@evil": true } });
	const user = join(claude, "settings.json");
	const data = join(claude, "plugins", "data", id.replace("@", "-"));
	linkPluginLauncher({ root, data });
	return { ...at, user, data, text: () => readFileSync(user, "utf8") };
}

test("--status-line of a plugin: shows the line, adds it around the user's own, and gives the file back to the byte", async () => {
	const at = withPlugin({ enabledPlugins: { "ccg@a": true }, statusLine: { type: "command", command: "echo mine" } });
	const before = at.text();
	const { out, code } = await ccg(at, ["install", "--status-line", "--dry-run"]);
	expect([code, at.text()]).toEqual([0, before]);
	expect(out).toContain("Its command: echo mine");
	expect((await ccg(at, ["install", "--status-line"])).err).toContain("add --yes");
	expect((await ccg(at, ["install", "--status-line", "--yes"])).out).toContain("the status line");
	const { statusLine, hooks } = JSON.parse(at.text());
	const launcher = `${at.data}/app/current/bin/ccg`;
	const word = launcher.replace(at.home, '"$HOME"');
	expect(statusLine.command).toContain(`if [ -x ${word} ]; then ${word} statusline --wrap`);
	expect([hooks, existsSync(launcher)]).toEqual([undefined, true]);
	expect((await ccg(at, ["install", "--status-line", "--yes"])).out).toContain("Already set up");
	await ccg(at, ["uninstall", "--status-line", "--yes"]);
	expect(at.text()).toBe(before);
});

const ON = { enabledPlugins: { "ccg@a": true } };
test.each<[string, object, string, string[], string]>([
	["hooks of ccg install are there", ON, "ccg@a", ["install", "--yes"], "nothing to set up"],
	["no plugin is enabled", {}, "ccg@a", ["status"], "no plugin of ccg's"],
	["only a repository's settings enable it", {}, "ccg@evil", ["status"], "no plugin of ccg's"],
])("--status-line changes nothing where %s", async (_, settings, id, first, said) => {
	const at = withPlugin(settings, id);
	await ccg(at, first);
	const before = at.text();
	const { out, err } = await ccg(at, ["install", "--status-line", "--yes"]);
	expect([at.text(), out + err]).toEqual([before, expect.stringContaining(said)]);
});
