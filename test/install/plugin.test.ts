import { cpSync, existsSync, mkdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { makePlugin } from "../../scripts/make-plugin.ts";
import { PLUGIN_MCP } from "../../scripts/plugin-hooks.ts";
import { catalog, HOOK_PARTS } from "../../src/install/catalog.ts";
import { linkPluginLauncher } from "../../src/install/plugin/plugin-folders.ts";
import { runNow } from "../kit/process.ts";
import { REPO, run, sandbox } from "../kit/sandbox.ts";
import { scratch } from "../scratch-home.ts";

const made = join(scratch("made"), "ccg");
const files = makePlugin(made);

const text = (...path: string[]): string => readFileSync(join(...path), "utf8");
const json = (...path: string[]) => JSON.parse(text(...path));

test("the same sources give the same bytes, without bytecode and without this machine's folders", () => {
	const again = join(scratch("again"), "ccg");
	expect(makePlugin(again)).toEqual(files);
	for (const file of files) expect(text(again, file) === text(made, file), file).toBe(true);
	expect(files.filter((file) => /\.jsc$|node_modules/.test(file))).toEqual([]);
	for (const file of files) expect(text(made, file).includes(REPO), file).toBe(false);
});

test("its hooks are those of the catalog, in exec form, and no shell is their command", () => {
	const { hooks } = json(made, "hooks", "hooks.json") as {
		hooks: Record<string, { hooks: Record<string, unknown>[] }[]>;
	};
	const registered = Object.entries(hooks).flatMap(([event, groups]) =>
		groups.flatMap((group) => group.hooks.map((handler) => ({ event, handler }))),
	);
	expect(
		registered.map(({ event, handler: { command, args, ...rest } }) => [event, (args as string[])[0], rest]),
	).toEqual(catalog("/ccg").hooks.map(({ event, part, handler: { command, ...rest } }) => [event, part, rest]));
	for (const { handler } of registered) expect(handler.command).toBe("$" + "{CLAUDE_PLUGIN_ROOT}/hooks/run");
	expect(json(made, ".mcp.json")).toEqual(PLUGIN_MCP);
});

test.each(["sh", "dash", "bash --posix"])(
	"hooks/run in %s: quiet without a name, whatever is on stdin; each part starts ccg",
	async (shell) => {
		const at = sandbox();
		const calls = join(at.top, "calls");
		const root = join(at.top, "plugin");
		for (const name of ["bin", "hooks"]) mkdirSync(join(root, name), { recursive: true });
		cpSync(join(made, "hooks", "run"), join(root, "hooks", "run"));
		writeFileSync(join(root, "bin", "ccg"), `#!/bin/sh\necho "$*" >>'${calls}'\ncat >/dev/null\n`, {
			mode: 0o755,
		});
		for (const kind of ["flush", "follow-up"]) {
			mkdirSync(join(at.store, "run", kind), { recursive: true });
			writeFileSync(join(at.store, "run", kind, at.sid), "");
		}
		const start = (...args: string[]) =>
			run([...`/usr/bin/env ${shell}`.split(" "), join(root, "hooks", "run"), ...args], {
				cwd: at.project,
				env: at.env,
				input: `echo run >>'${calls}'\n`,
			});
		expect(await start()).toEqual({ code: 0, out: "", err: "" });
		expect(await start("unknown")).toEqual({ code: 0, out: "", err: "" });
		expect(existsSync(calls)).toBe(false);
		for (const part of HOOK_PARTS) expect(await start(part)).toEqual({ code: 0, out: "", err: "" });
		expect(text(calls).trim().split("\n")).toEqual(HOOK_PARTS.map((part) => `hook ${part} plugin`));
	},
);

test("shellcheck has nothing to say of hooks/run", () => {
	const { code, out } = runNow(["shellcheck", join(made, "hooks", "run")]);
	// it is not everywhere
	if (code !== null) expect(out).toBe("");
});

test("the stable launcher leads to the plugin's folder, and to that of the next version", () => {
	const data = join(scratch("data"), "ccg-context-guard");
	const next = scratch("next");
	const launcher = linkPluginLauncher({ root: made, data });
	expect(runNow([launcher, "--version"]).out).toBe(`${manifest.version}\n`);
	expect([linkPluginLauncher({ root: next, data }), readlinkSync(join(data, "app", "current"))]).toEqual([
		launcher,
		next,
	]);
});

test("beside an installation in the settings a plugin's hook does nothing; a settings hook can't be made to believe it is one", async () => {
	const at = sandbox();
	const claude = join(at.home, ".claude");
	const env = { CLAUDE_PLUGIN_ROOT: made, CLAUDE_PLUGIN_DATA: join(claude, "plugins", "data", "ccg-x") };
	const start = (launcher: string, extra: string[] = []) => {
		mkdirSync(claude, { recursive: true });
		const { handler } = catalog(launcher).hooks[0]!;
		writeFileSync(join(claude, "settings.json"), JSON.stringify({ hooks: { SessionStart: [{ hooks: [handler] }] } }));
		return run([join(REPO, "bin", "ccg"), "hook", "user-prompt-submit", ...extra], {
			cwd: at.project,
			env: { ...at.env, ...env },
			input: "{",
		});
	};
	const log = () =>
		existsSync(join(at.store, "log")) ? text(at.store, "log", "ccg.log").trim().split("\n").length : 0;
	await start(join(REPO, "bin", "ccg"), ["plugin"]);
	expect(log()).toBe(0);
	await start(join(REPO, "bin", "ccg"));
	expect(log()).toBe(1);
	await start("/nowhere/bin/ccg", ["plugin"]);
	expect(log()).toBe(2);
});
