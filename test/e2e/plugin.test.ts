import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { everything, holding, logged, type Step, times } from "./claude-sandbox.ts";
import type { ApiRequest } from "./loopback-api.ts";
import { PLUGIN, type PluginSandbox, pluginSandbox, program, settingsOf } from "./plugin-sandbox.ts";
import { bash, does, says, thenDoes } from "./replies.ts";

let made: PluginSandbox;

/** Versions of before the pinned one may not know the option. */
const STRICT = process.env.CCG_TEST_VERSION ? [] : ["--strict"];
const REQUEST = "Write a parser for the ledger format. Never touch the file legacy.c.";
const BLOCK = "## Request at hand";

/** One cycle: near the trigger, the nudge's command, over it. `between` runs while the session does, before the compaction. */
const cycle = (between = (): void => {}): Step[] => [
	thenDoes(45_000, bash("echo near")),
	thenDoes(50_000, bash("echo nudged")),
	between,
	does(52_000, bash("ccg memory save 'the ledger has 7 columns'")),
	thenDoes(90_000, bash("echo full")),
	does(9_000, bash("echo after")),
	says(9_500, "done"),
];

/** The main thread's requests of one session. */
async function session(replies: Step[], ...args: string[]) {
	const [prompt, ...more] = args[0]?.startsWith("/") ? args : [REQUEST, ...args];
	made.queue.splice(0, made.queue.length, ...replies);
	const before = made.main().length;
	const { session_id: sid } = await made.claude(prompt!, ...more);
	return { sid, main: made.main().slice(before) };
}

/** One nudge and one block, whoever else has the same hooks. */
function expectOnce(main: ApiRequest[]): void {
	expect(times(main[2]!, "ccg nudge:")).toBe(1);
	expect(times(main[4]!, BLOCK)).toBe(1);
	expect(everything(main[4]!)).toContain("Never touch the file legacy.c.");
	expect(times(main.at(-1)!, BLOCK)).toBeLessThanOrEqual(2);
	expect(logged(made)).toBe("");
}

/** What the nudge tells the agent to run. */
const saveCommand = (main: ApiRequest[]): string | undefined =>
	/ccg nudge: .*?\\n {2}(\S+ memory save) /.exec(everything(main[2]!))?.[1];

function installed(npm: "works" | "fails"): void {
	made = pluginSandbox(npm);
	made.publish("0.1.0");
	made.plugin("marketplace", "add", "owner/ccg#plugin");
	made.plugin("install", PLUGIN);
}

test("from the marketplace, where the client's npm failed: Bun is brought, which is said; then nudge, block, resume, update while a session runs", async () => {
	installed("fails");
	made.online();
	const brought = await session([does(9_000, bash("sleep 3")), says(9_100, "done")]);
	expect(made.toldUser(brought.sid)).toMatch(
		/^ccg found no Bun 1\.4\.3 or newer, so npm brings one in the background;/,
	);
	// a hook ran on it
	expect(existsSync(join(made.store, "ccg.sqlite"))).toBe(true);
	const first = await session(cycle());
	expectOnce(first.main);
	expect(made.toldUser(first.sid)).not.toContain("npm brings");
	// the agent's shell finds the plugin's own ccg
	expect(saveCommand(first.main)).toBe("ccg memory save");
	expect(everything(first.main[3]!)).toMatch(/saved (?:in|to) /);
	expect(idle(first.main[0]!).length).toBeLessThan(1_500);
	expect(made.linked()).toMatch(/0\.1\.0$/);
	const resumed = await session([], "--resume", first.sid);
	expect(times(resumed.main.at(-1)!, "## Request at hand")).toBe(1);

	made.publish("0.2.0");
	const updated = await session(
		cycle(() => {
			made.plugin("marketplace", "update", "context-guard");
			made.plugin("update", PLUGIN);
		}),
	);
	expectOnce(updated.main);
	await session([]);
	expect(made.linked()).toMatch(/0\.2\.0$/);
});

test("its status line, beside an installation, disabled, uninstalled while a session runs", async () => {
	installed("works");
	// as the skill asks for it
	const shown = await session([], "/ccg:setup");
	expect(everything(shown.main[0]!)).toContain("run `ccg install --status-line --dry-run` with the Bash tool");
	expect(settingsOf(made).statusLine).toBeUndefined();
	await session([does(9_000, bash("ccg install --status-line --yes"))], "/ccg:setup apply");
	expect(settingsOf(made).statusLine.command).toBe(
		'"$HOME"/.claude/plugins/data/ccg-context-guard/app/current/bin/ccg statusline; exit 0',
	);
	expect(settingsOf(made).hooks).toBeUndefined();
	made.ccg("uninstall", "--status-line", "--yes");
	expect(settingsOf(made).statusLine).toBeUndefined();
	made.ccg("install", "--yes");
	const both = await session(cycle());
	expectOnce(both.main);
	expect(saveCommand(both.main)).toBe("~/.claude-memory/ccg memory save");
	made.ccg("uninstall", "--yes");

	made.plugin("disable", PLUGIN);
	const disabled = await session(cycle().slice(0, 2));
	expect(holding(disabled.main, "ccg nudge:")).toEqual([]);
	made.plugin("enable", PLUGIN);
	made.ccg("install", "--status-line", "--yes");
	const last = await session(cycle(() => void made.plugin("uninstall", PLUGIN)));
	expectOnce(last.main);
	expect(existsSync(join(made.data, "app"))).toBe(false);
	// the line names what is gone: whoever has ccg still takes it out
	made.ccg("uninstall", "--status-line", "--yes");
	expect(settingsOf(made).statusLine).toBeUndefined();
});

/** What the model reads of an idle plugin: its tools' names, its server's words, its skills' lines. */
function idle(request: ApiRequest): string {
	const text = everything(request).replaceAll("\\n", "\n");
	const own = /^mcp__plugin_ccg_.*$|^## plugin:ccg:ccg\n.*$|^- ccg:.*$/gm;
	const lines = text.match(own) ?? [];
	expect(lines.length).toBeGreaterThan(2);
	return lines.join("\n");
}

test("without Bun and npm, in a repository that names another data folder: the session goes on, nothing of the repository runs", async () => {
	made = pluginSandbox("none");
	const clone = made.clone("0.1.0");
	expect(made.plugin("validate", ...STRICT, join(clone, "plugins", "ccg"))).toContain("passed");
	const canary = join(made.home, "canary");
	const planted = join(made.project, "data");
	program(join(planted, "bin", "ccg"), `#!/bin/sh\necho "$*" >>'${canary}'\n`);
	program(join(planted, "hooks", "run"), `#!/bin/sh\necho "$*" >>'${canary}'\n`);
	const env = { CLAUDE_PLUGIN_DATA: planted, CLAUDE_PLUGIN_ROOT: planted };
	made.projectSettings({ env });
	made.plugin("marketplace", "add", clone);
	made.plugin("install", PLUGIN);
	const { session_id: sid, result } = await made.claude("hello");
	expect(result).toBe("nothing more");
	expect(made.toldUser(sid)).toMatch(/^ccg does nothing in this session: .*Install Bun, or Node\.js with npm/);
	expect(existsSync(canary)).toBe(false);
});
