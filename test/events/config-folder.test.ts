import { join } from "node:path";
import { expect, test } from "vitest";
import { readUsage } from "../../src/store/pressure/flags.ts";
import { ccg, sandbox } from "../kit/sandbox.ts";
import { statusHome } from "../kit/status-home.ts";

// (hooks in the real client: test/e2e/config-folder.test.ts)
test("a transcript that is named relative to the folder of the start is found by the status line", async () => {
	const at = statusHome();
	await at.line({ ...at.input(50_000), transcript_path: "cfg/s-1.jsonl", cwd: join(at.home, "sub") });
	expect(readUsage(at.stored)?.transcriptPath).toBe(join(at.home, "cfg/s-1.jsonl"));
});

test.each(["install --yes", "uninstall --yes", "doctor"])("an empty CLAUDE_CONFIG_DIR: %s refuses", async (command) => {
	const at = sandbox();
	const { code, err } = await ccg(at, command.split(" "), { env: { CLAUDE_CONFIG_DIR: "" } });
	expect([code, err]).toEqual([1, expect.stringContaining("an empty CLAUDE_CONFIG_DIR")]);
});
