import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { fifo } from "../kit/process.ts";
import { hook } from "../kit/sandbox.ts";
import { repoSandbox, withRepository } from "./repo-fixture.ts";

describe("nothing waits for a FIFO in the place of", () => {
	const PLACES = [
		...[".git", ".git/HEAD", ".git/config", ".git/index", ".git/commondir", ".git/packed-refs", ".git/logs/HEAD"],
		...[".git/info/exclude", ".git/info/attributes", ".git/refs/heads/main", ".gitignore", ".gitattributes"],
		...[".gitmodules", "file.txt", "dir", ".git/objects/pack/pack-00.idx", "CLAUDE.md"],
		...[".active-plan.md", "skills/failure-recovery/failure-log.md", "skills/self-model/capabilities.md"],
	];
	test.each(PLACES)("%s", async (place) => {
		const at = repoSandbox();
		withRepository(at);
		rmSync(join(at.project, place), { recursive: true, force: true });
		fifo(join(at.project, place));
		const fields = { hook_event_name: "PreCompact", trigger: "manual" };
		const { code, timedOut, out } = await hook(at, "pre-compact", fields, { limitMs: 10_000 });
		expect({ code, timedOut }).toEqual({ code: 0, timedOut: false });
		expect(out).toContain("Never push to main.");
	});

	// Claude Code reads none of it either
	test(".claude/settings.json", async () => {
		const at = repoSandbox();
		fifo(join(at.project, ".claude/settings.json"));
		const fields = { hook_event_name: "PreCompact", trigger: "manual" };
		const { code, timedOut, out } = await hook(at, "pre-compact", fields, { limitMs: 10_000 });
		expect({ code, timedOut }).toEqual({ code: 0, timedOut: false });
		expect(out).toContain("Never push to main.");
	});
});
