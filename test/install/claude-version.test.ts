import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { findClaude } from "../../src/install/claude-version.ts";
import { scratch } from "../scratch-home.ts";

test("asks the one on PATH, and the installers' own once each", async () => {
	const { home, work, claude, find } = machine();
	claude("bin/claude", "2.1.329 (Claude Code)");
	claude("later/claude", "2.1.1 (Claude Code)");
	const local = claude("home/.claude/local/claude", "2.1.90 (Claude Code)");
	mkdirSync(join(home, ".local/bin"), { recursive: true });
	symlinkSync(local, join(home, ".local/bin/claude"));
	const found = await find(["../bin", "../later"], work);
	expect(found).toEqual([
		{ version: "2.1.329", path: join(home, "../bin/claude") },
		{ version: "2.1.90", path: local },
	]);
});

test("starts nothing that lies in the folder it runs in: by PATH, a link, the repository's top or CLAUDE_CONFIG_DIR", async () => {
	const { home, work, claude, find, ran } = machine();
	for (const folder of [".git", "packages/a"]) mkdirSync(join(work, folder), { recursive: true });
	claude("home/project/node_modules/.bin/claude", "2.1.1 (Claude Code)");
	claude("home/project/cfg/local/claude", "2.1.1 (Claude Code)");
	mkdirSync(join(home, "../links"));
	symlinkSync(join(work, "node_modules/.bin"), join(home, "../links/folder"));
	symlinkSync(join(work, "node_modules/.bin/claude"), join(home, "../links/claude"));
	const folders = ["project/node_modules/.bin", "../links/folder", "../links"];
	for (const cwd of [work, join(work, "packages/a")])
		expect(await find(folders, cwd, { CLAUDE_CONFIG_DIR: join(work, "cfg") }, "node_modules/.bin:.:")).toEqual([]);
	expect(ran()).toBe(false);
});

test.each(["", "claude: not logged in", "version 2.1.1", "2.1"])("takes %j for no version", async (said) => {
	const { work, claude, find } = machine();
	claude("bin/claude", said);
	expect(await find(["../bin"], work)).toEqual([]);
});

/** What stands behind the name on PATH, as version managers leave it there. */
test.each([
	["a line before it", `echo 'mise claude@2.0.1 installed'; echo '2.1.100 (Claude Code)'`],
	["exit 1 behind it, colours", `printf '\\033[1m2.1.100\\033[0m \\033[2m(Claude Code)\\033[0m\n'; exit 1`],
	["a child that keeps its output", `sleep 20 & echo '2.1.100 (Claude Code)'`],
	[
		"on stderr, CRLF, another version behind it",
		`printf 'nvm\r\n2.1.100 (Claude Code)\r\nversion 3.4.5 of asdf is out\n' >&2`,
	],
	["it asks first", `read -r answer; echo '2.1.100 (Claude Code)'`],
])("behind a shim: %s", async (_, script) => {
	const { home, work, shim, find } = machine();
	const path = shim(script);
	const started = Date.now();
	expect(await find(["../bin"], work)).toEqual([{ version: "2.1.100", path: join(home, "..", path) }]);
	expect(Date.now() - started).toBeLessThan(7_000);
});

function machine() {
	const root = scratch("claude");
	const home = join(root, "home");
	const work = join(home, "project");
	mkdirSync(work, { recursive: true });
	return {
		home,
		work,
		claude(path: string, said: string): string {
			const at = join(root, path);
			mkdirSync(dirname(at), { recursive: true });
			writeFileSync(at, `#!/bin/sh\n: >'${join(root, "ran")}'\necho '${said}'\n`, { mode: 0o755 });
			return at;
		},
		shim(script: string): string {
			mkdirSync(join(root, "bin"));
			writeFileSync(join(root, "bin/claude"), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
			return "bin/claude";
		},
		/** With these folders, by their paths from the home folder, on PATH. */
		find: (folders: string[], cwd: string, more = {}, first = "") => {
			const PATH = `${first}${folders.map((folder) => join(home, folder)).join(":")}:/usr/bin:/bin`;
			return findClaude({ HOME: home, PATH, ...more }, cwd);
		},
		ran: () => existsSync(join(root, "ran")),
	};
}
