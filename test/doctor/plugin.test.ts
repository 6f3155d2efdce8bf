import { cpSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makePlugin } from "../../scripts/make-plugin.ts";
import type { DoctorCheck } from "../../src/doctor/check.ts";
import { catalog } from "../../src/install/catalog.ts";
import { appFolder, stableLauncherPath } from "../../src/store/app-folder.ts";
import { scratch } from "../scratch-home.ts";
import { checksOf, type DoctorFixture, makeFixture, settings } from "./fixture.ts";

const root = join(scratch("plugin"), "ccg");
makePlugin(root);

/** A home in whose settings these plugins stand. */
function withPlugin(ids = ["ccg@a"], enabled = ids): DoctorFixture & { launcher: string } {
	const fixture = makeFixture();
	settings(fixture.user, { enabledPlugins: Object.fromEntries(ids.map((id) => [id, enabled.includes(id)])) });
	return { ...fixture, launcher: join(root, "bin", "ccg") };
}

const claude = [{ version: "2.1.330", path: "/opt/claude" }];
const found = async (fixture: DoctorFixture & { launcher: string }) => {
	const report = await fixture.doctor({ launcher: fixture.launcher, claude });
	const plugin = checksOf(report, "settings.plugin").map(({ status, detail }) => `${status}: ${detail}`);
	return { report, plugin: plugin.join("\n"), line: checksOf(report, "settings.statusline")[0] };
};
const failed = ({ checks }: { checks: DoctorCheck[] }) => checks.filter(({ status }) => status === "fail");

test("a plugin that works: nothing fails, its commands are played, its status line is asked for", {
	timeout: 120_000,
}, async () => {
	const fixture = withPlugin();
	// as a session's start prepares it, but for the bytecode
	const app = appFolder(join(fixture.home, ".claude", "plugins", "data", "ccg-a"));
	cpSync(root, join(app, "1"), { recursive: true });
	symlinkSync(join(import.meta.dirname, "..", "..", "node_modules"), join(app, "1", "node_modules"));
	symlinkSync("1", join(app, "current"));
	fixture.launcher = stableLauncherPath(app);
	const { report, plugin, line } = await found(fixture);
	expect(failed(report)).toEqual([]);
	expect(plugin).toMatch(/^ok: ccg@a is enabled$/);
	expect(line?.fix).toContain("/ccg:setup");
	expect(report.commands.length).toBeGreaterThan(8);
	const command = catalog(stableLauncherPath(app)).statusLine();
	settings(fixture.user, (all) => Object.assign(all, { statusLine: { type: "command", command } }));
	const after = await found(fixture);
	expect(failed(after.report)).toEqual([]);
	expect(after.line).toMatchObject({ status: "ok" });
});

test.each<[string, () => DoctorFixture & { launcher: string }, RegExp]>([
	["not enabled", () => withPlugin(["ccg@a"], []), /^info: .* is not enabled/],
	["two of two marketplaces", () => withPlugin(["ccg@a", "ccg@b"]), /\nwarn: ccg@b has the name of ccg@a/],
])("tells of %s", async (_, make, expected) => {
	const fixture = make();
	const report = { checks: fixture.looked({ launcher: fixture.launcher, claude }) };
	const plugin = checksOf(report, "settings.plugin")
		.map(({ status, detail }) => `${status}: ${detail}`)
		.join("\n");
	expect(plugin).toMatch(expected);
	expect(checksOf(report, "settings.registered").length).toBe(plugin.includes("not enabled") ? 1 : 0);
});

test("an old Claude Code runs none of it", () => {
	const { looked } = withPlugin();
	const old = [{ version: "2.1.138", path: "/opt/claude" }];
	expect(checksOf({ checks: looked({ claude: old }) }, "runtime.claude")).toMatchObject([
		{ status: "fail", detail: expect.stringContaining("is older than 2.1.139") },
	]);
});

test("beside an installation in the settings, it says which works", async () => {
	const fixture = withPlugin();
	await fixture.install("user", join(import.meta.dirname, "..", "..", "bin", "ccg"));
	const [plugin] = checksOf({ checks: fixture.looked({ launcher: fixture.launcher, claude }) }, "settings.plugin");
	expect(`${plugin?.status}: ${plugin?.detail}`).toMatch(
		/^info: .*its hooks do nothing, since .*settings\.json registers ccg's/,
	);
});
