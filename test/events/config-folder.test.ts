import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { logPath } from "../../src/store/paths.ts";
import { readUsage } from "../../src/store/pressure/flags.ts";
import { Transcript } from "../kit/events.ts";
import { ccg, hook, linesOf, sandbox } from "../kit/sandbox.ts";
import { statusHome } from "../kit/status-home.ts";

/** As Claude Code 2.1.332 names the transcript with this CLAUDE_CONFIG_DIR: relative to the folder that it was started in. */
const NAMED: [value: string, transcript: string][] = [
	["cfg", "cfg/projects/p/s-1.jsonl"],
	["./cfg", "cfg/projects/p/s-1.jsonl"],
	["~/cfg", "~/cfg/projects/p/s-1.jsonl"],
	["../cfg", "../cfg/projects/p/s-1.jsonl"],
	[" ", " /projects/p/s-1.jsonl"],
	["", "projects/p/s-1.jsonl"],
];

test.each(NAMED)(
	"with CLAUDE_CONFIG_DIR '%s' the transcript is read, wherever the shell has gone",
	async (value, named) => {
		const at = sandbox();
		const path = join(at.project, named);
		for (const folder of [dirname(path), join(at.project, "sub")]) mkdirSync(folder, { recursive: true });
		new Transcript(at.project).typed("Never touch src/legacy.").usage(150_000).write(path);
		const fields = { transcript_path: named, hook_event_name: "PreCompact", trigger: "auto" };
		const env = { CLAUDE_CONFIG_DIR: value };
		const { out } = await hook(at, "pre-compact", fields, { cwd: join(at.project, "sub"), env });
		expect(out).toContain("Never touch src/legacy.");
		expect(linesOf(logPath(at.store))).toEqual([]);
	},
);

test("so is it for the status line", async () => {
	const at = statusHome();
	await at.line({ ...at.input(50_000), transcript_path: "cfg/s-1.jsonl", cwd: join(at.home, "sub") });
	expect(readUsage(at.stored)?.transcriptPath).toBe(join(at.home, "cfg/s-1.jsonl"));
});

test.each(["install --yes", "uninstall --yes", "doctor"])("an empty CLAUDE_CONFIG_DIR: %s refuses", async (command) => {
	const at = sandbox();
	const { code, err } = await ccg(at, command.split(" "), { env: { CLAUDE_CONFIG_DIR: "" } });
	expect([code, err]).toEqual([1, expect.stringContaining("an empty CLAUDE_CONFIG_DIR")]);
});
