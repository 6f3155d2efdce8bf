import { existsSync, mkdirSync, readdirSync } from "node:fs";
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
const RESULT = "The summary kept 4 of 6 things the user said; ccg gave back the other 2, word for word.";

test.each([40, 89, 120])(
	"in %d columns: both beside each other where there is room; the result stands last",
	async (columns) => {
		const { code, out, home, temp } = await demo([], { COLUMNS: String(columns) });
		expect([code, oneLine(out).endsWith(RESULT)]).toEqual([0, true]);
		const lines = out.split("\n");
		for (const line of lines) expect(Bun.stringWidth(line), line).toBeLessThanOrEqual(columns);
		const beside = lines.some((line) => line.startsWith("\"Don't touch") && line.includes("✗ summary: nothing of it"));
		expect(beside).toBe(columns >= 90);
		expect([readdirSync(home), readdirSync(temp)]).toEqual([[], []]);
	},
);

test("--json --full --keep: what became of each statement, every step, and where the home is", async () => {
	const { out, err, temp } = await demo(["--json", "--full", "--keep"]);
	const answer = JSON.parse(out);
	expect(answer).toMatchObject({
		result: RESULT,
		verdict: "The summary kept 4 of 6 things the user said; the other 2 are back.",
	});
	expect(answer.statements.map(({ fate }: { fate: string }) => fate !== "dropped")).toEqual([
		true,
		true,
		false,
		true,
		false,
		true,
	]);
	expect(answer.statements.every((one: { is_back: boolean }) => one.is_back)).toBe(true);
	const text = answer.steps.join("\n");
	const steps = [
		"ccg install --yes",
		"save due",
		"the flush marker drops",
		"ccg nudge: automatic compaction of this conversation is near",
		"ccg memory save --target memory",
		"ccg: the user's messages, file names and last commands are given back",
		"ccg recovery precompact_checkpoint_",
		"ccg show latest --as report",
		"The summary kept 4 of 6 things the user said; the other 2 are back.",
		"ccg memory: notes saved in earlier sessions",
		"there was no settings.json, there is none",
	].map((step) => text.indexOf(step));
	expect(steps).toEqual(steps.toSorted((a, b) => a - b));
	expect(steps[0]).toBeGreaterThanOrEqual(0);
	expect([answer.kept.startsWith(temp), err.trim()]).toEqual([true, `kept: ${answer.kept}`]);
	expect(existsSync(join(answer.kept, "home", ".claude-memory", "sessions"))).toBe(true);
});

test.skipIf(!existsSync("/usr/bin/script"))(
	"--full is paged for whoever reads at a terminal, and only then",
	async () => {
		const paged = async (line: string): Promise<boolean> => {
			const folder = scratch("paged");
			const env = { HOME: folder, TERM: "xterm", PATH: "/usr/bin:/bin", PAGER: "cat > paged.txt" };
			expect((await run(["/usr/bin/script", "-qec", line, "/dev/null"], { env, cwd: folder })).code).toBe(0);
			return existsSync(join(folder, "paged.txt"));
		};
		expect(await paged(`'${LAUNCHER}' demo --full`)).toBe(true);
		expect(await paged(`'${LAUNCHER}' demo --full < /dev/null`)).toBe(false);
	},
);

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
