import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { callIn, findEntries } from "../../src/install/entries.ts";
import { ENTRIES } from "../install/shapes.ts";
import { type Called, runCcg } from "../kit/ccg.ts";
import { scratch } from "../scratch-home.ts";

const TEXT = '{\n  "model": "opus"\n}\n';

/** A home with these settings, and `ccg` in its folder `work`. */
function home(text: string | null = TEXT) {
	const folder = scratch("cli");
	const path = join(folder, ".claude/settings.json");
	for (const name of [".claude", "work/.claude", "bin"]) mkdirSync(join(folder, name), { recursive: true });
	if (text !== null) writeFileSync(path, text);
	const place = { env: { HOME: folder }, cwd: join(folder, "work"), launcher: "/opt/ccg/bin/ccg" };
	const run = (line: string, more: Called = {}) => runCcg(line.split(" "), { ...place, ...more });
	const local = join(folder, "work/.claude/settings.local.json");
	const read = (file = path) => readFileSync(file, "utf8");
	return { folder, path, local, run, read, entries: () => findEntries(read()).length };
}

describe("ccg install", () => {
	test("says what it does, where the backup is and what is next; a second time is up to date; uninstall gives the bytes back", async () => {
		const { run, path, read, entries } = home();
		const { out, err, code } = await run("install --yes");
		expect([err, code, entries()]).toEqual(["", 0, ENTRIES]);
		expect(out).toContain("It can be undone: `/opt/ccg/bin/ccg uninstall`");
		// three lines of the person's own file, no more
		expect(out).toContain(`\n~ ${path}\n-  "model": "opus"\n+  "model": "opus",\n+  "hooks": {\n  ... (`);
		expect(out).toContain(`Registered in ${path}: SessionStart, PreToolUse, UserPromptSubmit,`);
		expect(readFileSync(/The file as it was before: (.*)/.exec(out)![1]!, "utf8")).toBe(TEXT);
		expect((await run("install")).out).toContain(`Already up to date: ${path}`);
		expect((await run("uninstall")).code).toBe(2);
		expect((await run("uninstall --dry-run")).out).toContain('-  "hooks": {');
		expect((await run("uninstall --yes")).out).toContain(`Removed from ${path}.`);
		expect(read()).toBe(TEXT);
		expect((await run("uninstall --yes")).out).toBe(`No entries of ccg in ${path}; nothing to do.`);
	});

	test.each([
		["--dry-run --allow", {}, 0, /^\+ {6}"Bash\(.*\/\.claude-memory\/ccg memory save:\*\)",$/m],
		["--dry-run", {}, 0, /--allow` lets it run them without/],
		["--dry-run", { colours: true }, 0, /\u001b\[32m\+ {2}"hooks": \{\u001b\[39m/],
		["", {}, 2, /To do it add --yes/],
		["", { interactive: true, answer: false }, 0, /Nothing was changed\./],
		["--scope moon", {}, 2, /Allowed choices/],
		["--mcp --scope local --yes", {}, 1, /leave --scope local out/],
		["--skills --scope local --yes", {}, 1, /leave --scope local out/],
	] as [string, Called, number, RegExp][])("install %s %j: nothing is changed", async (args, more, code, said) => {
		const { run, read, folder } = home();
		const ran = await run(`install ${args}`.trim(), more);
		expect(`${ran.out}\n${ran.err}`).toMatch(said);
		expect([ran.code, read(), existsSync(join(folder, ".claude-memory"))]).toEqual([code, TEXT, false]);
	});

	test("asks on a terminal for recall and notes, and before it changes the file", async () => {
		const { run, path, read, entries } = home();
		const { asked } = await run("install", { interactive: true });
		expect(asked).toEqual([
			expect.stringContaining("save notes with `ccg memory save` without asking?"),
			`Change ${path}? [y/N] `,
		]);
		for (const allowed of ["recall", "memory save"]) expect(read()).toContain(`/.claude-memory/ccg ${allowed}:*)`);
		expect(entries()).toBeGreaterThan(0);
	});

	test("what is broken, or can't be written, keeps its bytes", async () => {
		const broken = home('{\n  "model": "opus", // mine\n}\n');
		expect(await broken.run("install --yes")).toMatchObject({
			code: 1,
			out: "",
			err: expect.stringMatching(/line 2, column 20/),
		});
		const text = '{"statusLine":{"type":"command","command":"mine"}}';
		const { run, path, read } = home(text);
		chmodSync(path, 0o444);
		const { err, code } = await run("install --yes --allow");
		expect([code, err, read()]).toEqual([1, expect.stringContaining(`${path} can't be written`), text]);
	});
});

describe("for one folder", () => {
	test("keeps the user's own status line inside, and leaves nothing of it behind", async () => {
		const { run, local, read } = home('{"statusLine":{"type":"command","command":"A","padding":2}}');
		const line = () => JSON.parse(read(local)).statusLine;
		expect((await run("install --yes --scope local")).out).toContain("Its command: A");
		expect([callIn(line().command)?.wrapped, line().padding]).toEqual(["A", 2]);
		writeFileSync(local, JSON.stringify({ ...JSON.parse(read(local)), theirs: 1 }));
		await run("uninstall --yes --scope local");
		expect(JSON.parse(read(local))).toEqual({ theirs: 1 });
	});

	test("a line of the repository goes before the user's", async () => {
		const { run, folder, local, read } = home('{"statusLine":{"type":"command","command":"mine"}}');
		writeFileSync(join(folder, "work/.claude/settings.json"), '{"statusLine":{"type":"command","command":"theirs"}}');
		const { out } = await run("install --yes --scope local");
		expect(out).toContain("settings.local.json is this machine's own: keep it out of git");
		expect(callIn(JSON.parse(read(local)).statusLine.command)?.wrapped).toBe("theirs");
	});
});

test("--mcp: shows the command of Claude Code's and runs it; where that fails all else is done", async () => {
	const { run, read, folder, path } = home();
	const file = join(folder, ".claude.json");
	const claude = (line: string) =>
		writeFileSync(
			join(folder, "bin/claude"),
			`#!/bin/sh\n[ "$1" = --version ] && { echo '2.1.332 (Claude Code)'; exit; }\n[ "$1" = mcp ] || exit 0\n${line}\n`,
			{ mode: 0o755 },
		);
	const where = { env: { HOME: folder, PATH: `${join(folder, "bin")}:/usr/bin:/bin` } };
	claude(`printf '{"mcpServers":{"ccg":%s}}' "$6" >'${file}'`);
	const { out } = await run("install --mcp --yes", where);
	expect(out).toContain("\n$ claude mcp add-json --scope user ccg '{");
	expect(out).toContain(`Registered the MCP server ccg in ${file}.`);
	expect((await run("install --mcp", where)).out).toContain(`Already up to date: ${path}, ${file}`);
	expect((await run("uninstall --yes")).err).toContain("not taken out: no Claude Code is on PATH");
	expect(read()).toBe(TEXT);
	claude("exit 1");
	const { err, code } = await run("uninstall --yes", where);
	expect([code, err]).toEqual([1, expect.stringContaining("`claude mcp remove` failed")]);
});
