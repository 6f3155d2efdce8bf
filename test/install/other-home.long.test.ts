import { existsSync, mkdirSync, readFileSync, readlinkSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { expect, test } from "vitest";
import { listCommands, parseSettings } from "../../src/install/entries.ts";
import { LAUNCHER, runMeasured } from "../kit/sandbox.ts";
import { scratch } from "../scratch-home.ts";

const PAYLOAD = { session_id: "s-1", cwd: "/", hook_event_name: "SessionStart", source: "startup" };

/** What Claude Code does when it is to register a server. */
const CLAUDE = `#!/bin/sh
[ "$2" != add-json ] || printf '{"mcpServers":{"ccg":%s}}' "$6" >"\${CLAUDE_CONFIG_DIR:-$HOME}/.claude.json"
`;

/** What is there of one home, wherever that lies: `config` and `store` are below it, where they are not the usual ones. */
interface Shape {
	name?: string;
	config?: string;
	store?: string;
	isLink?: boolean;
}

test.each<[string, Shape]>([
	["a plain home", {}],
	["spaces and quotes", { name: 'it\'s "my" $HOME' }],
	["a home behind a link", { isLink: true }],
	["CLAUDE_CONFIG_DIR in the home", { config: "conf" }],
	["a store of one's own in the home", { store: "mystore" }],
])("what is installed in one place of a home works in another: %s", { timeout: 60_000 }, async (_, shape) => {
	const { name = "x", config, store = ".claude-memory", isLink = false } = shape;
	const top = scratch("homes");
	const [first, second] = ["home", "Users"].map((above) => join(top, above, name)) as [string, string];
	for (const above of ["home", "Users", "real", "p", "bin"]) mkdirSync(join(top, above));
	writeFileSync(join(top, "bin", "claude"), CLAUDE, { mode: 0o755 });
	mkdirSync(isLink ? join(top, "real", "x") : first);
	if (isLink) symlinkSync(join(top, "real", "x"), first);
	const at = (home: string) => ({
		cwd: join(top, "p"),
		env: {
			...{ HOME: home, PATH: `${join(top, "bin")}:/usr/bin:/bin` },
			...(config && { CLAUDE_CONFIG_DIR: join(home, config) }),
			...(shape.store && { CCG_HOME: join(home, store) }),
		} as Record<string, string>,
	});
	const install = (launcher: string, home: string) =>
		runMeasured([launcher, ..."install --yes --mcp --skills --allow".split(" ")], {
			...at(home),
			limitMs: 60_000,
		});
	const settings = (home: string) => join(home, config ?? ".claude", "settings.json");
	const texts = (home: string) =>
		[settings(home), join(config ? join(home, config) : home, ".claude.json")].map((path) =>
			readFileSync(path, "utf8"),
		);

	expect(await install(LAUNCHER, first)).toMatchObject({ code: 0 });
	const before = texts(first);
	for (const text of before) expect(text).not.toContain(top);
	expect(isAbsolute(readlinkSync(join(first, store, "ccg")))).toBe(false);

	renameSync(isLink ? join(top, "real", "x") : first, second);
	const session: ReturnType<typeof at> = {
		...at(second),
		env: { ...at(second).env, CLAUDE_CODE_SESSION_ID: "s-1", CLAUDE_PROJECT_DIR: join(top, "p") },
	};
	// (a session's environment need not name the store)
	delete session.env.CCG_HOME;
	for (const { command, event } of listCommands(parseSettings(before[0]!))) {
		const { code, out, err } = await runMeasured(["/bin/sh", "-c", command], { ...session, input: PAYLOAD });
		expect([code, err], command).toEqual([0, ""]);
		if (event === null) expect(out).toContain("ccg: no data");
	}
	expect(existsSync(join(second, store, "ccg.sqlite"))).toBe(true);
	const [, rule] = /Bash\((\S+) recall/.exec(before[0]!) ?? [];
	if (rule) expect(await runMeasured(["/bin/sh", "-c", `${rule} --version`], session)).toMatchObject({ code: 0 });

	expect(await install(join(second, store, "ccg"), second)).toMatchObject({ code: 0 });
	expect(texts(second)).toEqual(before);
	expect(await runMeasured([join(second, store, "ccg"), "doctor"], at(second))).toMatchObject({ code: 0 });
});

test("a home with a backslash, below which Bun starts nothing, is refused; with a store elsewhere it works", {
	timeout: 60_000,
}, async () => {
	const home = join(scratch("homes"), "back\\slash");
	mkdirSync(home);
	const at = { cwd: home, env: { HOME: home, PATH: "/usr/bin:/bin" } as Record<string, string> };
	const refused = await runMeasured([LAUNCHER, "install", "--yes"], at);
	expect(refused).toMatchObject({ code: 1, err: expect.stringContaining("has its path a backslash") });
	expect(existsSync(join(home, ".claude"))).toBe(false);
	at.env.CCG_HOME = scratch("store");
	expect(await runMeasured([LAUNCHER, "install", "--yes"], { ...at, limitMs: 60_000 })).toMatchObject({ code: 0 });
	for (const { command } of listCommands(parseSettings(readFileSync(join(home, ".claude", "settings.json"), "utf8"))))
		expect(await runMeasured(["/bin/sh", "-c", command], { ...at, input: PAYLOAD }), command).toMatchObject({
			code: 0,
			err: "",
		});
});
