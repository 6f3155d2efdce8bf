import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { oneLine } from "../../src/core/text/text.ts";
import { startBeside } from "../kit/process.ts";
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

test.each([
	["SIGINT", 130, 0],
	["SIGTERM", 143, 300],
	["SIGHUP", 129, 1_000],
] as const)(
	"stopped by %s (ends %d) after %d ms of playing it leaves nothing behind",
	async (signal, code, afterMs) => {
		const temp = scratch("temp");
		const env = { PATH: "/usr/bin:/bin", HOME: scratch("home"), TMPDIR: temp };
		const child = startBeside([LAUNCHER, "demo"], { cwd: temp, env });
		while (readdirSync(temp).length === 0 && child.exitCode === null) await Bun.sleep(5);
		await Bun.sleep(afterMs);
		child.kill(signal);
		const { stderr } = await child;
		expect(child.signalCode ?? child.exitCode).toSatisfy((end: unknown) => end === signal || end === code);
		expect([stderr, readdirSync(temp)]).toEqual(["", []]);
	},
);
