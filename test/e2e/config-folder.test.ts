import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ccg } from "../kit/sandbox.ts";
import { claudeSandbox, holding, logged } from "./claude-sandbox.ts";
import { bash, does, says } from "./replies.ts";

const BLOCK = "this session before its conversation was compacted";

test.each(["cfg", "./cfg/", "~/cfg", "../cfg"])("CLAUDE_CONFIG_DIR=%s: steered, and the block comes", async (value) => {
	const calls = ["cd sub", "echo two"].map((command, n) => does([60_000, 95_000][n]!, bash(command)));
	const made = claudeSandbox([...calls, says(5_000, "done")], {
		install: null,
		env: { CLAUDE_CONFIG_DIR: value },
	});
	mkdirSync(join(made.project, "sub"));
	const { code } = await ccg({ ...made, env: made.env } as never, ["install", "--yes", "--in-place"]);
	expect(code).toBe(0);
	await made.claude("Never touch src/legacy.");
	expect(made.summaries()[0]?.last).toContain("ccg: ");
	expect(holding(made.main().slice(-1), BLOCK)).toHaveLength(1);
	expect(logged(made)).toBe("");
});
