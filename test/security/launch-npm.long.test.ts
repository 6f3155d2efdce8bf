/** A plugin without Bun has npm bring one: what a session's environment and its folder can do to that, and what npm's failures leave. */
import { chmodSync, existsSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { printedBy } from "../kit/process.ts";
import { linesOf } from "../kit/sandbox.ts";
import { attacksOf, plant, put } from "./kit.ts";
import { bareLauncher, caught, type LaunchPlace, place, plantIn, putEvilProgram, start } from "./launch-fixture.ts";

interface PluginPlace extends LaunchPlace {
	root: string;
	tools: string;
}

const BRINGS =
	"mkdir -p node_modules/@oven/bun-a/bin && cp /bin/echo node_modules/@oven/bun-a/bin/bun && : >node_modules/.package-lock.json";
const SHIPPED = [".claude-plugin", "bin", "package-lock.json", "package.json"];

/** A plugin as it is where Claude Code's own npm failed. `npm`: what an npm outside of the workspace does once it wrote down its call. */
function plugin(npm: string | null = BRINGS, name = "plugin"): PluginPlace {
	const at = place();
	const [root, tools] = [join(at.top, name), join(at.top, "tools")];
	const launcher = bareLauncher(root, ["ccg", "find-bun", "bring-bun"]);
	for (const file of [".claude-plugin/plugin.json", "package.json", "package-lock.json"]) put(join(root, file), "{}");
	const calls = `env >'${tools}/env'; pwd >'${tools}/cwd'; echo "$*" >>'${tools}/calls'`;
	put(join(tools, "npm"), `#!/bin/sh\n${calls}\n${npm}\n`);
	chmodSync(join(tools, "npm"), npm === null ? 0o600 : 0o700);
	return { ...at, root, tools, launcher };
}

/** What a session's start says to the user, and waits until npm has ended. */
async function startSession(at: PluginPlace, env: Record<string, string> = {}, words = ["plugin"]): Promise<string> {
	const program = ["/bin/sh", at.launcher, "hook", "session-start"];
	const ran = await start(at, words, { program, env: { PATH: at.tools, CCG_TRIES: "5", ...env } });
	expect(ran).toMatchObject({ code: 0, err: "" });
	const runs = (): boolean => printedBy(["ps", "-eo", "args"]).includes(join(at.root, "bin", "bring-bun"));
	for (let i = 0; i < 100 && runs(); i++) await Bun.sleep(50);
	return JSON.parse(ran.out).systemMessage;
}

const linesIn = ({ tools }: PluginPlace, name: string): string[] => linesOf(join(tools, name));
const BRINGING = /npm brings one in the background/;
const NO_NPM = /no npm to bring one/;

describe.concurrent("npm for a plugin", () => {
	test("gets nothing of the session's environment and its folder", async () => {
		const at = plugin();
		const names = "npm_config_registry NPM_CONFIG_USERCONFIG NODE_OPTIONS HTTPS_PROXY GIT_SSH_COMMAND".split(" ");
		const env = Object.fromEntries(names.map((name) => [name, join(at.project, "x")]));
		const PATH = `${join(at.project, "tools")}:${at.tools}:.:/proc/self/cwd`;
		expect(await startSession(at, { ...env, PATH })).toMatch(BRINGING);
		const own = linesIn(at, "env").filter((line) => !/^(?:PWD|OLDPWD|SHLVL|_)=/.test(line));
		expect(own.sort()).toEqual([`HOME=${at.home}`, `PATH=${at.tools}:/usr/bin:/bin`]);
		expect(linesIn(at, "cwd")).toEqual([join(at.root, "bun.new")]);
		expect(linesIn(at, "calls")).toEqual([expect.stringMatching(/^ci --ignore-scripts /)]);
	});

	test("brings Bun once, and leaves nothing else", async () => {
		const at = plugin();
		// half of one, as an npm that was killed leaves it
		const half = "$TOP/plugin/node_modules/@oven/bun-b/bin";
		plant(at, `mkdir -p ${half}; printf '\\177ELF' >${half}/bun; chmod +x ${half}/bun`);
		expect(await startSession(at)).toMatch(BRINGING);
		expect(readdirSync(at.root).sort()).toEqual([...SHIPPED, "node_modules"].sort());
		expect(readdirSync(join(at.root, "node_modules")).sort()).toEqual([".package-lock.json", "@oven"]);
		const { out } = await start(at, ["config"], { env: { PATH: at.tools } });
		expect(out).toContain("src/cli/main.ts config");
		expect(linesIn(at, "calls")).toHaveLength(1);
	});

	test.each(["exit 0", "kill -9 $$"])("which fails (%s) leaves nothing, and is asked again", async (npm) => {
		const at = plugin(npm);
		for (let n = 1; n <= 2; n++) {
			expect(await startSession(at)).toMatch(BRINGING);
			expect(readdirSync(at.root).sort()).toEqual(SHIPPED);
			expect(linesIn(at, "calls")).toHaveLength(n);
		}
	});

	test("is asked by one session at a time; what was ended halfway holds for an hour", async () => {
		const at = plugin();
		plant(at, "mkdir -p $TOP/plugin/bun.new/node_modules");
		await startSession(at);
		expect(linesIn(at, "calls")).toEqual([]);
		plant(at, "touch -d '2 hours ago' $TOP/plugin/bun.new");
		await startSession(at);
		expect([linesIn(at, "calls").length, existsSync(join(at.root, "bun.new"))]).toEqual([1, false]);
	});

	test("is asked by no hook of the settings, and not where its Bun does not run or nothing says what to bring", async () => {
		const at = plugin();
		expect(await startSession(at, {}, [])).toMatch(/found no Bun 1\.4\.3 or newer\. Install it/);
		const other = "$TOP/plugin/node_modules/@oven/bun-linux-x64-musl/bin";
		plant(at, `mkdir -p ${other}; : >$TOP/plugin/node_modules/.package-lock.json; cp /bin/false ${other}/bun`);
		expect(await startSession(at)).toMatch(NO_NPM);
		const bare = plugin();
		plant(bare, "rm $TOP/plugin/package-lock.json");
		expect(await startSession(bare)).toMatch(NO_NPM);
		expect([at, bare].flatMap((one) => linesIn(one, "calls"))).toEqual([]);
	});

	test("tells where to look in one line of JSON, whatever the plugin's folder is called", async () => {
		expect(await startSession(plugin(BRINGS, 'pl"ug\\in'))).toContain("run 'npm ci' in its folder to see why");
	});
});

describe.concurrent("no npm of the workspace is started:", () => {
	test.each(attacksOf("workspace paths"))("PATH by %s", async (_, script) => {
		const at = plugin(null);
		for (const folder of [at.project, at.parent]) putEvilProgram(at, join(folder, "tools/npm"));
		expect(await startSession(at, { PATH: `${at.tools}:${plantIn(at, script).PATH}` })).toMatch(NO_NPM);
		expect(caught(at)).toBe(false);
	});

	test.each([".", "/proc/self/cwd"])("a home in the folder (%s) is not npm's", async (home) => {
		const at = plugin();
		expect(await startSession(at, { HOME: resolve(at.project, home) })).toMatch(BRINGING);
		expect(linesIn(at, "env").filter((line) => line.startsWith("HOME="))).toEqual([]);
	});
});
