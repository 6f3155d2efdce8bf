import { expect, test } from "vitest";
import { sessionFields } from "../../../src/doctor/sandbox.ts";
import { logPath } from "../../../src/store/paths.ts";
import { Transcript } from "../../kit/events.ts";
import { startBeside } from "../../kit/process.ts";
import { LAUNCHER, linesOf, sandbox } from "../../kit/sandbox.ts";

/** Runs a hook whose input is written part by part, and never ended. */
async function withOpenInput(write: (json: string) => string[], words = ["hook", "pre-compact"]) {
	const at = sandbox("open");
	new Transcript(at.project).typed("Never push.").usage(150_000).write(at.transcript);
	const input = { ...sessionFields(at), hook_event_name: "PreCompact", trigger: "auto", custom_instructions: '}"{\\"' };
	const started = performance.now();
	const child = startBeside([LAUNCHER, ...words], { env: { HOME: at.home }, cwd: at.project, stdin: "pipe" });
	for (const part of write(JSON.stringify(input))) {
		child.stdin!.write(part);
		await Bun.sleep(150);
	}
	const { exitCode, stdout } = await child;
	return { code: exitCode, out: String(stdout), log: linesOf(logPath(at.store)), ms: performance.now() - started };
}

test.each<[string, (json: string) => string[]]>([
	["at once", (json) => [json]],
	["in three parts", (json) => [json.slice(0, 5), json.slice(5, -4), json.slice(-4)]],
	["with a newline", (json) => [`${json}\n`]],
	["large", (json) => [`${json.slice(0, -1)},"more":"${"{x}".repeat(300_000)}"}`]],
])("a hook goes on when its input is complete: %s", async (_, write) => {
	const { code, out, log, ms } = await withOpenInput(write);
	expect([code, log]).toEqual([0, []]);
	expect(out).toContain("ccg");
	expect(ms).toBeLessThan(4_000);
});

test("the status line too", async () => {
	const { code, out, ms } = await withOpenInput((json) => [json], ["statusline"]);
	expect([code, out, ms < 4_000]).toEqual([0, expect.stringContaining("ccg"), true]);
});
