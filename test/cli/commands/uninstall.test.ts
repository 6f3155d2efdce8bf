import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { settingsHome, TEXT } from "../../kit/settings-home.ts";

describe("ccg uninstall", () => {
	it("gives the bytes back, and has nothing to do the second time", async () => {
		const { run, path } = settingsHome(TEXT);
		await run(["install", "--yes"]);
		expect((await run(["uninstall"])).code).toBe(2);
		const { out, code } = await run(["uninstall", "--yes"]);
		expect(out).toContain(`Removed from ${path}.`);
		expect(code).toBe(0);
		expect(readFileSync(path, "utf8")).toBe(TEXT);
		expect(await run(["uninstall", "--yes"])).toEqual({
			out: `No entries of ccg in ${path}; nothing to do.`,
			err: "",
			code: 0,
		});
	});

	it("takes the project's .claude away when the install made it and nothing else is in it", async () => {
		const { run, folder } = settingsHome(TEXT);
		const made = join(folder, "work/.claude");
		const both = async () => {
			await run(["install", "--yes", "--scope", "project"]);
			await run(["install", "--yes", "--scope", "project", "--allow-memory"]);
			expect(existsSync(made)).toBe(true);
		};
		await both();
		await run(["uninstall", "--yes", "--scope", "project"]);
		expect(existsSync(made)).toBe(false);
		await both();
		writeFileSync(join(made, "notes.md"), "mine");
		await run(["uninstall", "--yes", "--scope", "project"]);
		expect(readdirSync(made)).toEqual(["notes.md"]);
	});

	it("leaves an empty .claude that was there before", async () => {
		const { run, folder } = settingsHome(TEXT);
		const own = join(folder, "work/.claude");
		mkdirSync(own);
		await run(["install", "--yes", "--scope", "project"]);
		await run(["uninstall", "--yes", "--scope", "project"]);
		expect(readdirSync(own)).toEqual([]);
	});

	it("--dry-run writes nothing; a declined question neither", async () => {
		const { run, path } = settingsHome(TEXT);
		await run(["install", "--yes"]);
		const installed = readFileSync(path, "utf8");
		expect((await run(["uninstall", "--dry-run"])).out).toContain('-  "hooks": {');
		await run(["uninstall"], { interactive: true, answer: false });
		expect(readFileSync(path, "utf8")).toBe(installed);
	});

	it("refuses an unparsable file", async () => {
		const { run, path } = settingsHome("");
		const { err, code } = await run(["uninstall", "--yes"]);
		expect(err).toContain(`${path}, line 1, column 1`);
		expect(code).toBe(1);
		expect(readFileSync(path, "utf8")).toBe("");
	});

	it("where there never was a file is nothing to do", async () => {
		const { run, path } = settingsHome(null);
		expect((await run(["uninstall", "--yes"])).out).toContain("nothing to do");
		expect(existsSync(path)).toBe(false);
	});
});
