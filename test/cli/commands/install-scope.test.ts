import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { recognise } from "../../../src/install/recognise.ts";
import { findEntries } from "../../../src/install/settings-text.ts";
import { ENTRIES } from "../../install/shapes.ts";
import { settingsHome, TEXT } from "../../kit/settings-home.ts";

describe("ccg install for one folder", () => {
	it("--scope local writes this folder's local settings", async () => {
		const { run, path, folder } = settingsHome(TEXT);
		await run(["install", "--yes", "--scope", "local"]);
		expect(readFileSync(path, "utf8")).toBe(TEXT);
		expect(findEntries(readFileSync(join(folder, "work/.claude/settings.local.json"), "utf8"))).toHaveLength(ENTRIES);
	});

	it("for one repository keeps the user's own status line inside, and takes nothing of it along", async () => {
		const mine = '{"statusLine":{"type":"command","command":"mine --x","padding":2,"refreshInterval":5}}';
		const { run, path, folder } = settingsHome(mine);
		const local = join(folder, "work/.claude/settings.local.json");
		const { out } = await run(["install", "--yes", "--scope", "local"]);
		expect(out).toContain("Its command: mine --x");
		const { statusLine } = JSON.parse(readFileSync(local, "utf8"));
		expect(recognise(statusLine.command)?.wrapped).toBe("mine --x");
		expect(statusLine).toMatchObject({ padding: 2, refreshInterval: 5 });
		writeFileSync(local, JSON.stringify({ ...JSON.parse(readFileSync(local, "utf8")), theirs: 1 }));
		await run(["uninstall", "--yes", "--scope", "local"]);
		expect(JSON.parse(readFileSync(local, "utf8"))).toEqual({ theirs: 1 });
		expect(readFileSync(path, "utf8")).toBe(mine);
	});

	it("a user's line that has changed since is followed, and never left behind", async () => {
		const { run, path, folder } = settingsHome('{"statusLine":{"type":"command","command":"A"}}');
		const local = join(folder, "work/.claude/settings.local.json");
		const change = (edit: object) =>
			writeFileSync(local, JSON.stringify({ ...JSON.parse(readFileSync(local, "utf8")), ...edit }));
		await run(["install", "--yes", "--scope", "local"]);
		change({ permissions: { allow: ["Bash(ls)"] } });
		writeFileSync(path, '{"statusLine":{"type":"command","command":"B"}}');
		await run(["install", "--yes", "--scope", "local"]);
		expect(recognise(JSON.parse(readFileSync(local, "utf8")).statusLine.command)?.wrapped).toBe("B");
		writeFileSync(path, '{"statusLine":{"type":"command","command":"C"}}');
		await run(["uninstall", "--yes", "--scope", "local"]);
		expect(JSON.parse(readFileSync(local, "utf8"))).toEqual({ permissions: { allow: ["Bash(ls)"] } });
	});

	it("a line of the repository goes before the user's, and ccg's own is not wrapped", async () => {
		const { run, folder } = settingsHome('{"statusLine":{"type":"command","command":"mine"}}');
		const local = join(folder, "work/.claude/settings.local.json");
		const wrapped = () => recognise(JSON.parse(readFileSync(local, "utf8")).statusLine.command)?.wrapped;
		mkdirSync(join(folder, "work/.claude"));
		await run(["install", "--yes"]);
		await run(["install", "--yes", "--scope", "local"]);
		expect(wrapped()).toBe("mine");
		await run(["uninstall", "--yes", "--scope", "local"]);
		writeFileSync(join(folder, "work/.claude/settings.json"), '{"statusLine":{"type":"command","command":"theirs"}}');
		await run(["install", "--yes", "--scope", "local"]);
		expect(wrapped()).toBe("theirs");
	});

	it("--scope local says how to have git ignore the file, where no rule names it", async () => {
		const { run, folder } = settingsHome(TEXT);
		mkdirSync(join(folder, "work/.git/info"), { recursive: true });
		const told = "Where git does not ignore .claude/settings.local.json";
		expect((await run(["install", "--dry-run", "--scope", "local"])).out).toContain(told);
		for (const [file, line] of [
			[".git/info/exclude", ".claude/settings.local.json"],
			[".gitignore", ".claude/"],
		] as const) {
			writeFileSync(join(folder, "work", file), `${line}\n`);
			expect((await run(["install", "--dry-run", "--scope", "local"])).out).not.toContain(told);
			writeFileSync(join(folder, "work", file), "");
		}
	});

	it("does not put this machine's path into what a repository shares", async () => {
		const { run, folder } = settingsHome(TEXT);
		mkdirSync(join(folder, "work/.git"));
		const { err, code } = await run(["install", "--yes", "--scope", "project"]);
		expect(err).toContain("is shared with everybody who uses this repository");
		expect(err).toContain("ccg install --scope local");
		expect(code).toBe(1);
		expect(existsSync(join(folder, "work/.claude"))).toBe(false);
	});
});
