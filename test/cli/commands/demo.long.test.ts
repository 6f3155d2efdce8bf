import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import pc from "picocolors";
import { describe, expect, test } from "vitest";
import type { PlayedDemo } from "../../../src/cli/demo/play.ts";
import { printResult } from "../../../src/cli/demo/result.ts";
import type { Io } from "../../../src/cli/support/io.ts";
import { oneLine } from "../../../src/core/text/text.ts";
import { startBeside } from "../../kit/process.ts";
import { LAUNCHER, run } from "../../kit/sandbox.ts";
import { scratch } from "../../scratch-home.ts";

const ccg = (args: string[], env: Record<string, string> = {}) => {
	const home = join(scratch("demo"), "home");
	mkdirSync(home);
	const temp = scratch("temp");
	return {
		home,
		temp,
		ran: run([LAUNCHER, "demo", ...args], { env: { HOME: home, TMPDIR: temp, ...env }, cwd: temp }),
	};
};

const SAID = [
	["Never add a dependency, and keep parse() pure", true],
	["Amounts must stay integers in cents", true],
	["Don't touch anything under archive/", false],
	["Commit after each step with a short message.", true],
	["Always ask me before you change the wording", false],
	["Now import from the command line", true],
] as const;
const RESULT = "The summary kept 4 of 6 things the user said; ccg gave back the other 2, word for word.";

describe("what it prints", () => {
	test.each([40, 120])("in %d columns; the result stands last", async (columns) => {
		const { home, temp, ran } = ccg([], { COLUMNS: String(columns) });
		const { code, out } = await ran;
		expect(code).toBe(0);
		expect(oneLine(out).endsWith(RESULT)).toBe(true);
		for (const line of out.split("\n")) expect(Bun.stringWidth(line), line).toBeLessThanOrEqual(columns);
		expect([readdirSync(home), readdirSync(temp)]).toEqual([[], []]);
	});

	test("what the user said, what the summary kept, what came back; fitted to any width", async () => {
		const answer = JSON.parse((await ccg(["--json", "--full"]).ran).out);
		expect(answer.result).toBe(RESULT);
		expect(answer.verdict).toBe("The summary kept 4 of 6 things the user said; the other 2 are back.");
		expect(answer.statements).toHaveLength(SAID.length);
		for (const [i, [said, kept]] of SAID.entries()) {
			const one = answer.statements[i];
			expect(one.said).toContain(said);
			expect([one.fate !== "dropped", one.summary !== ""]).toEqual([kept, kept]);
			expect(one.is_back).toBe(true);
		}
		const played = { ...answer, tokensBefore: answer.tokens_before, followUp: answer.follow_up } as PlayedDemo;
		played.statements = answer.statements.map((one: { is_back: boolean }) => ({ ...one, isBack: one.is_back }));
		for (const columns of [40, 60, 80, 89, 90, 120, 200]) {
			const lines: string[] = [];
			const io = { env: {}, launcher: LAUNCHER, colours: pc.createColors(false), columns };
			printResult(played, { ...io, out: (line: string) => lines.push(line) } as unknown as Io);
			for (const line of lines) expect(Bun.stringWidth(line), line).toBeLessThanOrEqual(columns);
			expect(oneLine(lines.join(" ")).endsWith(RESULT)).toBe(true);
			// in two columns both stand on a line
			const beside = lines.some(
				(line) => line.startsWith("\"Don't touch") && line.includes("✗ summary: nothing of it"),
			);
			expect(beside).toBe(columns >= 90);
		}
	});
});

test("--full: every step from install to uninstall, with what the hooks said", async () => {
	const { home, ran } = ccg(["--full"], { COLUMNS: "200" });
	const text = (await ran).out;
	const steps = [
		"ccg install --yes",
		"save due",
		"the flush marker drops",
		"3 in parallel, ask at once; 1 gets the nudge",
		"ccg nudge: automatic compaction of this conversation is near",
		"the other 2: silent",
		"ccg memory save --target memory\n",
		"ccg: the user's messages, file names and last commands are given back",
		"ccg recovery precompact_checkpoint_",
		"ccg report --last",
		"The summary kept 4 of 6 things the user said; the other 2 are back.",
		"ccg memory: notes saved in earlier sessions",
		"there was none, there is none",
		"Nothing of yours was touched.",
		RESULT,
	];
	const places = steps.map((step) => text.indexOf(step));
	expect(steps.filter((_, i) => places[i]! < 0)).toEqual([]);
	expect(places.toSorted((a, b) => a - b)).toEqual(places);
	expect(text.match(/ccg memory save --target memory\n/g)).toHaveLength(1);
	expect(readdirSync(home)).toEqual([]);
});

test("--full on a terminal goes through the pager", async () => {
	const temp = scratch("temp");
	const paged = (pager: string) =>
		run(["script", "-qec", `"${LAUNCHER}" demo --full`, "/dev/null"], {
			env: { HOME: scratch("home"), TMPDIR: temp, TERM: "xterm", PAGER: pager },
			cwd: temp,
		});
	expect((await paged("sed -n 's/.*The summary kept/PAGED: &/p'")).out).toMatch(/PAGED: .*4 of 6/);
	// none that works: plain
	expect((await paged("/nonexistent/pager")).out).toContain("there was none, there is none");
	expect(readdirSync(temp)).toEqual([]);
});

describe("stopped from outside it leaves nothing behind", () => {
	test.each([
		["SIGINT", 130, 0],
		["SIGTERM", 143, 300],
		["SIGHUP", 129, 700],
		["SIGINT", 130, 1_200],
	] as const)("%s (ends %d) after %d ms of playing", async (signal, code, afterMs) => {
		const temp = scratch("temp");
		const env = { PATH: "/usr/bin:/bin", HOME: scratch("home"), TMPDIR: temp };
		const child = startBeside([LAUNCHER, "demo"], { cwd: temp, env });
		while (readdirSync(temp).length === 0 && child.exitCode === null) await Bun.sleep(5);
		await Bun.sleep(afterMs);
		child.kill(signal);
		const { stderr } = await child;
		expect(child.signalCode ?? child.exitCode).toSatisfy((end: unknown) => end === signal || end === code);
		expect(stderr).toBe("");
		expect(readdirSync(temp)).toEqual([]);
	});
});

test("--keep says where the home is", async () => {
	const { temp, ran } = ccg(["--keep", "--json"]);
	const { out, err } = await ran;
	const { kept } = JSON.parse(out);
	expect(kept.startsWith(temp)).toBe(true);
	expect(err.trim()).toBe(`kept: ${kept}`);
	expect(existsSync(join(kept, "home", ".claude-memory", "sessions"))).toBe(true);
});

test.skipIf(!existsSync("/usr/bin/script"))(
	"--full is paged for whoever reads at a terminal, and only then",
	async () => {
		const paged = async (line: string): Promise<boolean> => {
			const folder = scratch("paged");
			const env = { HOME: folder, TERM: "xterm", PATH: "/usr/bin:/bin", PAGER: "cat > paged.txt" };
			const { code } = await run(["/usr/bin/script", "-qec", line, "/dev/null"], { env, cwd: folder });
			expect(code).toBe(0);
			return existsSync(join(folder, "paged.txt"));
		};
		expect(await paged(`'${LAUNCHER}' demo --full`)).toBe(true);
		expect(await paged(`'${LAUNCHER}' demo --full < /dev/null`)).toBe(false);
		expect(await paged(`PAGER= '${LAUNCHER}' demo --full`)).toBe(false);
	},
);
