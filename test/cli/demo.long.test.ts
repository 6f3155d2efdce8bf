import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { oneLine } from "../../src/core/text/text.ts";
import { LAUNCHER, run } from "../kit/sandbox.ts";
import { scratch } from "../scratch-home.ts";

const demo = async (args: string[], env: Record<string, string> = {}) => {
	const home = join(scratch("demo"), "home");
	mkdirSync(home);
	const temp = scratch("temp");
	const ran = await run([LAUNCHER, "demo", ...args], { env: { HOME: home, TMPDIR: temp, ...env }, cwd: temp });
	return { ...ran, home, temp };
};
const RESULT = "The summary holds 0 of the user's 6 messages word for word; the block gave back 6 whole.";

test.each([40, 120])("in %d columns: no line is wider, and the result stands last", async (columns) => {
	const { code, out, home, temp } = await demo([], { COLUMNS: String(columns) });
	expect([code, oneLine(out).endsWith(RESULT)]).toEqual([0, true]);
	for (const line of out.split("\n")) expect(Bun.stringWidth(line), line).toBeLessThanOrEqual(columns);
	expect([readdirSync(home), readdirSync(temp)]).toEqual([[], []]);
});

test("--json: what became of each message", async () => {
	const answer = JSON.parse((await demo(["--json"])).out);
	expect(answer).toMatchObject({ verdict: RESULT });
	expect(answer.messages.map(({ fate }: { fate: string }) => fate)).toEqual(Array(6).fill("whole"));
});
