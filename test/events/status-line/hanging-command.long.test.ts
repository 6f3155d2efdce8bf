import { expect, test } from "vitest";
import { runNow } from "../../kit/process.ts";
import { LAUNCHER, run } from "../../kit/sandbox.ts";
import { statusHome } from "../../kit/status-home.ts";

test("a wrapped command that hangs is ended after half a minute: the line is printed, and no process is left", async () => {
	const { env, home: cwd, input } = statusHome();
	const command = `sleep 39.${process.pid}`;
	const ran = await run([LAUNCHER, "statusline", "--wrap", command], { env, cwd, input: input(131_000) });
	expect(ran).toMatchObject({ code: 0, err: "", out: expect.stringMatching(/^[^\n]*131k\/167k[^\n]*\n$/) });
	await expect.poll(() => runNow(["pgrep", "-f", command]).out, { timeout: 10_000 }).toBe("");
}, 60_000);
