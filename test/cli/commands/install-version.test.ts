import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { settingsHome, TEXT } from "../../kit/settings-home.ts";

describe("ccg install by the version of Claude Code", () => {
	const events = (path: string) => Object.keys(JSON.parse(readFileSync(path, "utf8")).hooks);
	/** A Claude Code that tells this version. */
	const claude = (folder: string, version: string) => {
		mkdirSync(join(folder, "bin"), { recursive: true });
		writeFileSync(join(folder, "bin/claude"), `#!/bin/sh\necho '${version} (Claude Code)'\n`, { mode: 0o755 });
		return { HOME: folder, PATH: `${join(folder, "bin")}:/usr/bin:/bin` };
	};

	it.each([
		["2.1.100", ", and would skip the whole settings file: left out."],
		["2.1.101", ": left out."],
	])("%s on PATH: only what it knows, and what is missing is said", async (version, effect) => {
		const { run, path, folder } = settingsHome(TEXT);
		const { out, code } = await run(["install", "--yes"], { env: claude(folder, version) });
		expect(events(path)).toContain("PostToolUse");
		expect(events(path)).not.toContain("PostToolBatch");
		expect(out).toContain(
			`Claude Code ${version} (${join(folder, "bin/claude")}) does not know PostToolBatch${effect}`,
		);
		expect(out).toContain("Context use is measured after each tool call");
		expect(out).toContain("After an update of Claude Code run `/opt/ccg/bin/ccg install` again.");
		expect(code).toBe(0);
	});

	it("a newer one later gets what it knows, in the place of the other entries", async () => {
		const { run, path, folder } = settingsHome(TEXT);
		await run(["install", "--yes"], { env: claude(folder, "2.0.30") });
		expect(events(path)).not.toContain("PostCompact");
		await run(["install", "--yes"], { env: claude(folder, "2.1.329") });
		expect(events(path)).toEqual(expect.arrayContaining(["PostToolBatch", "PostCompact"]));
		expect(events(path)).not.toContain("PostToolUse");
		await run(["uninstall", "--yes"]);
		expect(readFileSync(path, "utf8")).toBe(TEXT);
	});

	it("a current one is not spoken of", async () => {
		const { run, folder } = settingsHome(TEXT);
		expect((await run(["install", "--yes"], { env: claude(folder, "2.1.118") })).out).not.toContain("Claude Code 2");
	});

	it("--claude-version goes before what is found; a wrong one is refused", async () => {
		const { run, path, folder } = settingsHome(TEXT);
		const env = claude(folder, "2.1.329");
		await expect(run(["install", "--yes", "--claude-version", "latest"], { env })).rejects.toThrow("three numbers");
		await run(["install", "--yes", "--claude-version", "2.1.50"], { env });
		expect(events(path)).not.toContain("PostCompact");
	});

	it.each(["1.0.60", "2.0.29"])("%s does not know what ccg can't do without: nothing is changed", async (version) => {
		const { run, path, folder } = settingsHome(TEXT);
		for (const [args, env] of [
			[["install", "--yes"], claude(folder, version)],
			[["install", "--yes", "--claude-version", version], { HOME: folder }],
		] as const) {
			const { err, code } = await run([...args], { env });
			expect(err).toContain(`Claude Code ${version} (`);
			expect(err).toContain("is older than 2.0.30");
			expect(code).toBe(1);
			expect(readFileSync(path, "utf8")).toBe(TEXT);
		}
	});

	it("what is to be typed without a terminal names the version too", async () => {
		const { run } = settingsHome(TEXT);
		expect((await run(["install", "--claude-version", "2.1.100"])).err).toContain(
			"ccg install --claude-version 2.1.100 --yes",
		);
	});

	it("one that is not found keeps what the settings are made for, else what wrote the last session", async () => {
		const { run, path, folder } = settingsHome(TEXT);
		await run(["install", "--yes", "--claude-version", "2.1.100"]);
		const before = readFileSync(path, "utf8");
		expect((await run(["install", "--yes"])).out).toContain("Already up to date");
		await run(["install", "--yes", "--allow-memory"]);
		expect(events(path)).toEqual(Object.keys(JSON.parse(before).hooks));
		await run(["uninstall", "--yes"]);
		mkdirSync(join(folder, ".claude/projects/-x"), { recursive: true });
		writeFileSync(join(folder, ".claude/projects/-x/s.jsonl"), '{"type":"user","version":"2.1.50"}\n');
		expect((await run(["install", "--yes"])).out).toContain("Claude Code 2.1.50 (wrote the last session)");
		expect(events(path)).not.toContain("PostCompact");
	});

	it("an unknown one is asked about on a terminal, and without one told", async () => {
		const { run, path } = settingsHome(TEXT);
		const asked = { interactive: true, answer: true, text: "2.1.100" };
		const { texts, out } = await run(["install"], asked);
		expect(texts).toEqual([expect.stringContaining("Which version is it")]);
		expect(out).toContain("Claude Code 2.1.100 (as given)");
		expect(events(path)).not.toContain("PostToolBatch");
		await run(["uninstall", "--yes"]);
		const wrong = await run(["install"], { ...asked, text: "new" });
		expect(wrong).toMatchObject({ code: 1, err: expect.stringContaining('"new" is no version') });
		await run(["uninstall", "--yes"]);
		expect((await run(["install", "--yes"])).out).toContain("its version is not known and every event is registered");
		expect(events(path)).toContain("PostToolBatch");
		expect((await run(["install"], asked)).texts).toEqual([]);
	});
});
