import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { askSettings } from "../../src/install/ask-settings.ts";
import { readSources } from "../../src/install/settings-sources.ts";
import { scratch } from "../scratch-home.ts";

/** A home and a project with settings, and a program that answers `claude doctor` with these shell lines. */
function world(lines: string, user: object = {}, project: object = {}) {
	const top = scratch("ask");
	const [home, cwd] = [join(top, "home"), join(top, "project")];
	for (const [folder, value] of [
		[join(home, ".claude"), user],
		[join(cwd, ".claude"), project],
	] as const) {
		mkdirSync(folder, { recursive: true });
		writeFileSync(join(folder, "settings.json"), JSON.stringify(value));
	}
	const path = join(top, "claude");
	writeFileSync(path, `#!/bin/sh\n${lines}\n`, { mode: 0o755 });
	const env = { HOME: home, PATH: process.env.PATH };
	const sources = readSources({ env, cwd, managed: join(top, "managed") });
	return { top, home, cwd, env, sources, found: [{ version: "2.1.332", path }] };
}

test("says what Claude Code said, of the file that it was said of", async () => {
	const { home, cwd, sources, found, env } = world(`
		echo "Invalid settings"
		echo "- $CLAUDE_CONFIG_DIR/settings.json › model: Expected string, but received number"
		echo "- $PWD/.claude/settings.json: Invalid or malformed JSON"
		echo "- $PWD/.claude/settings.json › hooks.Stop: must be an array. This entry was ignored."
		echo "- /elsewhere/settings.json › model: no"`);
	const user = join(home, ".claude", "settings.json");
	const project = join(cwd, ".claude", "settings.json");
	const told = (await askSettings(found, sources, env)).map(({ path, isPart, text }) => [path, isPart, text]);
	expect(told).toEqual([
		[project, false, `Claude Code 2.1.332 takes nothing from ${project}: Invalid or malformed JSON`],
		[project, true, expect.stringMatching(/passes over a part of .*: hooks\.Stop: must be an array\. This entry was/)],
		[user, false, expect.stringMatching(/takes nothing from .*: model: Expected string, but received number$/)],
	]);
});

test("the program sees copies without values of the environment, stands in no folder of the project's, and leaves nothing", async () => {
	const { top, sources, found, env } = world(
		'(cat "$CLAUDE_CONFIG_DIR/settings.json" .claude/settings.json; pwd; echo "$ANTHROPIC_BASE_URL") > "$(dirname "$0")/seen"',
		{ env: { PATH: "/repository/bin", N: 5 } },
		{ env: null, model: "opus" },
	);
	const before = readdirSync(tmpdir());
	// nor is the API asked with the user's key
	const own = { ...env, ANTHROPIC_BASE_URL: "https://api.example" };
	expect(await askSettings(found, sources, own)).toEqual([]);
	const seen = await Bun.file(join(top, "seen")).text();
	expect(seen).toMatch(
		/^\{"env":\{"PATH":"","N":5\}\}\{"env":null,"model":"opus"\}\/.*ccg-settings-\d+-\w{6}\nhttp:\/\/127\.0\.0\.1:9\n$/,
	);
	expect(readdirSync(tmpdir()).filter((name) => name.startsWith("ccg-settings") && !before.includes(name))).toEqual([]);
});

test.each(["exit 1", "exec sleep 60"])(
	"nothing where it gives no answer: %s",
	async (lines) => {
		const { sources, found, env } = world(lines);
		expect(await askSettings(found, sources, env)).toEqual([]);
	},
	10_000,
);

test("nothing where it has nothing against them, or there is no program to ask", async () => {
	const { sources, found, env } = world("echo 2.1.100");
	expect(await askSettings(found, sources, env)).toEqual([]);
	expect(await askSettings([], sources, env)).toEqual([]);
	expect(await askSettings([{ version: "2.1.332", path: "/editor/extension" }], sources, env)).toEqual([]);
});
