import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { LAUNCHER, run } from "../kit/sandbox.ts";
import { scratch } from "../scratch-home.ts";

const lines = async (args: string[], columns?: number): Promise<string[]> => {
	const home = scratch("home");
	mkdirSync(join(home, ".claude"));
	writeFileSync(join(home, ".claude/settings.json"), '{"statusLine":{"type":"command","command":"echo mine"}}');
	const env = { HOME: home, ...(columns && { COLUMNS: String(columns) }) };
	const { out, err } = await run([LAUNCHER, ...args], { env, cwd: home });
	expect(err).toBe("");
	return out.trimEnd().split("\n");
};

/** What is to be copied stays whole, and then stands alone on its line. */
const isWhole = (line: string): boolean => /^ *(?:-> )?\S*\/\S*$/.test(line) || /^ *(?:-> )?\S*`[^`]*`\S*$/.test(line);

describe.each([
	[["doctor"]],
	[["profile", "show"]],
	[["profile", "show", "careful"]],
	[["profile", "list"]],
	[["env"]],
	[["statusline", "preview"]],
	[["statusline", "legend"]],
])("ccg %j", (args) => {
	test.each([40, 60, 80])("fits %d columns", async (columns) => {
		for (const line of await lines(args, columns))
			if (!isWhole(line)) expect(Bun.stringWidth(line), line).toBeLessThanOrEqual(columns);
	});
});

test.each([[["doctor"]], [["profile", "show"]], [["statusline", "legend"]]])(
	"ccg %j: nothing is wrapped where no terminal is known",
	async (args) => {
		const [piped, fitted] = [await lines(args), await lines(args, 60)];
		expect(fitted.length).toBeGreaterThan(piped.length);
		expect(Math.max(...piped.map((line) => Bun.stringWidth(line)))).toBeGreaterThan(80);
	},
);

test("the processes have headings, and those that do nothing are left out", async () => {
	const [, , heading, ...rows] = await lines(["env"]);
	if (heading === undefined) return;
	expect(heading).toMatch(/^ +pid +cpu +memory {2}process$/);
	for (const row of rows) expect(row).not.toMatch(/ 0\.0% /);
});
