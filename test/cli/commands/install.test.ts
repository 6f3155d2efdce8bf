import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { findEntries } from "../../../src/install/settings-text.ts";
import { ENTRIES } from "../../install/shapes.ts";
import { settingsHome, TEXT } from "../../kit/settings-home.ts";

describe("ccg install", () => {
	it("with --yes registers, and says what, where the backup is and what is next", async () => {
		const { run, path, folder } = settingsHome(TEXT);
		const { out, err, code } = await run(["install", "--yes"]);
		expect(findEntries(readFileSync(path, "utf8"))).toHaveLength(ENTRIES);
		expect(out).toContain(
			`Registered in ${path}: SessionStart, PreToolUse, UserPromptSubmit, PostToolBatch, Stop, SubagentStop, PreCompact, PostCompact, SessionEnd, status line.`,
		);
		const backup = /The file as it was before: (.*)/.exec(out)?.[1] ?? "";
		expect(backup.startsWith(join(folder, ".claude-memory/install/"))).toBe(true);
		expect(readFileSync(backup, "utf8")).toBe(TEXT);
		expect(out).toContain("Running sessions pick it up at once");
		expect(out).toContain("/opt/ccg/bin/ccg doctor");
		// what will be done stands before the diff
		const before = out.slice(0, out.indexOf("+++"));
		expect(before).toContain("registers ccg:");
		expect(before).toContain("It can be undone: `/opt/ccg/bin/ccg uninstall`");
		expect({ err, code }).toEqual({ err: "", code: 0 });
	});

	it("a second time is up to date", async () => {
		const { run, path } = settingsHome(TEXT);
		await run(["install", "--yes"]);
		const before = readFileSync(path);
		expect(await run(["install"])).toEqual({ out: `Already up to date: ${path}`, err: "", code: 0 });
		expect(readFileSync(path)).toEqual(before);
	});

	it("--dry-run shows the diff and writes nothing", async () => {
		const { run, path, folder } = settingsHome(TEXT);
		const { out, code } = await run(["install", "--dry-run", "--allow-memory"]);
		expect(out).toContain(`+++ ${path}`);
		expect(out).toContain(`+      "Bash(${folder}/.claude-memory/ccg memory save:*)"`);
		expect(out).toContain("--allow-recall` lets it read without");
		expect(code).toBe(0);
		expect(readFileSync(path, "utf8")).toBe(TEXT);
		expect(existsSync(join(folder, ".claude-memory"))).toBe(false);
	});

	it("without a terminal and without --yes changes nothing and ends 2", async () => {
		const { run, path } = settingsHome(TEXT);
		const { out, err, code } = await run(["install"]);
		expect(out).toContain(`+++ ${path}`);
		expect(err).toContain("To apply this: ccg install --yes");
		expect(code).toBe(2);
		expect(readFileSync(path, "utf8")).toBe(TEXT);
	});

	it.each([
		[true, ENTRIES],
		[false, 0],
	])("asks on a terminal; the answer %s decides", async (answer, entries) => {
		const { run, path } = settingsHome(TEXT);
		const { code, questions } = await run(["install"], { interactive: true, answer });
		expect(questions).toEqual([expect.stringContaining("`ccg recall` without asking?"), `Change ${path}? [y/N] `]);
		expect(findEntries(readFileSync(path, "utf8"))).toHaveLength(entries);
		expect(readFileSync(path, "utf8").includes("/.claude-memory/ccg recall:*)")).toBe(answer);
		expect(code).toBe(0);
		await run(["uninstall", "--yes"]);
		expect(readFileSync(path, "utf8")).toBe(TEXT);
	});

	it("colours the diff where colours are wanted", async () => {
		const { run } = settingsHome(TEXT);
		const { out } = await run(["install", "--dry-run"], { colours: true });
		expect(out).toContain('\u001b[32m+  "hooks": {\u001b[39m');
		expect(out).toContain('\u001b[31m-  "model": "opus"\u001b[39m');
	});

	it.each([
		["in the file itself", ".claude/settings.json", "user"],
		["in the project's", "work/.claude/settings.json", "user"],
		["for the project's", ".claude/settings.json", "project"],
	])("hooks that are switched off %s are told, with where", async (_, file, scope) => {
		const { run, folder } = settingsHome("{}");
		mkdirSync(join(folder, "work/.claude"));
		const off = join(folder, file);
		writeFileSync(off, '{"disableAllHooks":true}');
		const warning = `Warning: hooks are switched off: disableAllHooks is true in ${off}`;
		const { out } = await run(["install", "--yes", "--scope", scope]);
		expect(out).toContain(warning);
		expect(out).toContain("No session runs it as long as hooks are switched off");
		expect(out).not.toContain("pick it up at once");
		expect((await run(["install", "--scope", scope])).out).toContain(warning);
	});

	it("a project that switches them on again gets no warning", async () => {
		const { run, folder } = settingsHome('{"disableAllHooks":true}');
		mkdirSync(join(folder, "work/.claude"));
		writeFileSync(join(folder, "work/.claude/settings.json"), '{"disableAllHooks":false}');
		expect((await run(["install", "--yes"])).out).toContain("Running sessions pick it up at once");
	});

	it("refuses an unparsable file in one message, bytes untouched", async () => {
		const broken = '{\n  "model": "opus", // mine\n}\n';
		const { run, path, folder } = settingsHome(broken);
		const { out, err, code } = await run(["install", "--yes"]);
		expect(out).toBe("");
		expect(err).toMatch(/^ccg: .*settings\.json, line 2, column 20: .*comments.*Nothing was changed.*$/);
		expect(err).toContain(path);
		expect(code).toBe(1);
		expect(readFileSync(path, "utf8")).toBe(broken);
		expect(existsSync(join(folder, ".claude-memory"))).toBe(false);
	});

	it("gives the entries to paste where the file is read-only", async () => {
		const text = '{"statusLine":{"type":"command","command":"mine"}}';
		const { run, path, folder } = settingsHome(text);
		chmodSync(path, 0o444);
		const { out, err, code } = await run(["install", "--yes", "--allow-memory"]);
		expect(err).toContain(`${path} can't be written`);
		expect(code).toBe(1);
		const snippet = out.slice(out.lastIndexOf("\n{\n") + 1);
		expect(findEntries(snippet)).toHaveLength(ENTRIES);
		expect(findEntries(snippet).at(-1)?.wrapped).toBe("mine");
		expect(JSON.parse(snippet).permissions.allow).toHaveLength(1);
		expect(readFileSync(path, "utf8")).toBe(text);
		expect(existsSync(join(folder, ".claude-memory"))).toBe(false);
	});

	it("names a folder that is none", async () => {
		const { run, folder } = settingsHome(TEXT);
		writeFileSync(join(folder, "plain"), "");
		const { err, code } = await run(["install", "--yes"], {
			env: { HOME: folder, CLAUDE_CONFIG_DIR: join(folder, "plain") },
		});
		expect(err).toContain(join(folder, "plain"));
		expect(err).toContain("a part of the path is no folder. The settings were not changed; check that path");
		expect(code).toBe(1);
	});
	it("explains itself", async () => {
		const { help } = settingsHome(TEXT);
		expect(help("install")).toContain("ccg install --scope local");
		expect(help("install")).toContain("Exit codes:");
		expect(help("uninstall")).toContain("ccg uninstall --dry-run");
	});
});
