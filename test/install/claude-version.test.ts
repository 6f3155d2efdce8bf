import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { findClaude, lackOf, oldestOf } from "../../src/install/claude-version.ts";
import { scratch } from "../scratch-home.ts";

describe("findClaude", () => {
	it("asks the one on PATH, the installers' own and the editors' newest extension", async () => {
		const { home, work, claude } = machine();
		const onPath = claude("bin/claude", "2.1.329 (Claude Code)");
		claude("later/claude", "2.1.1 (Claude Code)");
		const local = claude("home/.claude/local/claude", "2.1.90 (Claude Code)");
		for (const name of ["anthropic.claude-code-2.1.99-linux-x64", "anthropic.claude-code-2.1.200", "other.x-1.0.0"])
			mkdirSync(join(home, ".vscode/extensions", name), { recursive: true });
		const found = await findClaude(
			{ HOME: home, PATH: `${dirname(onPath)}:${join(home, "../later")}:/usr/bin:/bin` },
			work,
		);
		expect(found).toEqual([
			{ version: "2.1.329", path: onPath },
			{ version: "2.1.90", path: local },
			{ version: "2.1.200", path: join(home, ".vscode/extensions/anthropic.claude-code-2.1.200") },
		]);
		expect(oldestOf(found)?.version).toBe("2.1.90");
	});

	it("asks one program once, by whatever link it is found", async () => {
		const { home, work, claude } = machine();
		const own = claude("home/.local/bin/claude", "2.1.101 (Claude Code)");
		mkdirSync(join(home, "../bin"));
		symlinkSync(own, join(home, "../bin/claude"));
		expect(await findClaude({ HOME: home, PATH: `${join(home, "../bin")}:/usr/bin:/bin` }, work)).toHaveLength(1);
	});

	it("starts nothing that lies in the folder it runs in, nor by a relative PATH entry", async () => {
		const { home, work, claude, ran } = machine();
		claude("home/project/node_modules/.bin/claude", "2.1.1 (Claude Code)");
		const PATH = `node_modules/.bin:.:${join(work, "node_modules/.bin")}:/usr/bin:/bin`;
		expect(await findClaude({ HOME: home, PATH }, work)).toEqual([]);
		expect(ran()).toBe(false);
	});

	it("nor what a link on PATH, the repository's top or CLAUDE_CONFIG_DIR has there", async () => {
		const { home, work, claude, ran } = machine();
		mkdirSync(join(work, ".git"));
		mkdirSync(join(work, "packages/a"), { recursive: true });
		claude("home/project/node_modules/.bin/claude", "2.1.1 (Claude Code)");
		claude("home/project/cfg/local/claude", "2.1.1 (Claude Code)");
		mkdirSync(join(home, "../links"));
		symlinkSync(join(work, "node_modules/.bin"), join(home, "../links/folder"));
		symlinkSync(join(work, "node_modules/.bin/claude"), join(home, "../links/claude"));
		const PATH = [join(work, "node_modules/.bin"), join(home, "../links/folder"), join(home, "../links")].join(":");
		const env = { HOME: home, PATH: `${PATH}:/usr/bin:/bin`, CLAUDE_CONFIG_DIR: join(work, "cfg") };
		expect(await findClaude(env, join(work, "packages/a"))).toEqual([]);
		expect(ran()).toBe(false);
	});

	it.each(["", "claude: not logged in", "version 2.1.1", "2.1"])("takes %j for no version", async (said) => {
		const { home, work, claude } = machine();
		const path = claude("bin/claude", said);
		expect(await findClaude({ HOME: home, PATH: `${dirname(path)}:/usr/bin:/bin` }, work)).toEqual([]);
	});
});

it("says what each version has to do without", () => {
	expect(lackOf("2.1.100")).toHaveLength(1);
	expect(lackOf("2.0.30")).toHaveLength(2);
	expect(lackOf("2.1.118")).toEqual([]);
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
		ran: () => require("node:fs").existsSync(join(root, "ran")),
	};
}
