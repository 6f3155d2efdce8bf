import { expect, test } from "vitest";
import { ccg, sandbox } from "../kit/sandbox.ts";

test.each(["install --yes", "uninstall --yes", "doctor"])("an empty CLAUDE_CONFIG_DIR: %s refuses", async (command) => {
	const { code, err } = await ccg(sandbox(), command.split(" "), { env: { CLAUDE_CONFIG_DIR: "" } });
	expect([code, err]).toEqual([1, expect.stringContaining("an empty CLAUDE_CONFIG_DIR")]);
});
