/** What ran, in the real client: whatever keeps its hooks from running, `ccg doctor` does not say that all is well. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { printedBy, startBeside } from "../kit/process.ts";
import { LAUNCHER } from "../kit/sandbox.ts";
import { type ClaudeSandbox, claudePath, claudeSandbox } from "./claude-sandbox.ts";
import { says } from "./replies.ts";
import ROWS from "./what-ran-rows.json";

/** A client of a home with these settings, into which ccg is installed. */
function installed(text: string): ClaudeSandbox {
	const made = claudeSandbox([says(9_000, "done")], { install: null });
	writeFileSync(join(made.home, ".claude", "settings.json"), text);
	made.ccg("install", "--yes", "--in-place");
	return made;
}

/** One session, and what doctor says then. */
async function looked(made: ClaudeSandbox, args: string[] = [], env: Record<string, string> = {}) {
	await startBeside([claudePath(), "-p", "hi", ...args], { cwd: made.project, env: { ...made.env, ...env } });
	const options = { cwd: made.project, env: { HOME: made.home, PATH: made.env.PATH! } };
	const doctor = printedBy(["/bin/sh", "-c", `'${LAUNCHER}' doctor || true`], options);
	const seen = JSON.parse(made.ccg("status", "--json")).length > 0;
	return { doctor, seen };
}

const CALLED = "called no hook of ccg";
/** Settings, and whether the client takes ccg's hooks from a file with them (a matcher of another type keeps no other hook from running). */
const SETTINGS = ROWS as [settings: string, runs: boolean][];

test.each(SETTINGS)("settings %j: ccg runs: %s", async (settings, runs) => {
	const made = installed(settings);
	const { doctor, seen } = await looked(made);
	expect([seen, doctor.includes(CALLED)]).toEqual([runs, !runs]);
	expect(doctor).toContain(runs ? "All checks passed" : "`claude doctor`");
	made.ccg("uninstall", "--yes");
	expect(readFileSync(join(made.home, ".claude", "settings.json"), "utf8")).toBe(settings);
});

test.each([
	["--bare", ["--bare"], {}],
	["--setting-sources", ["--setting-sources", "local"], {}],
	["CLAUDE_CODE_SIMPLE", [], { CLAUDE_CODE_SIMPLE: "1" }],
] as const)("a session without hooks: %s", async (_, args, env) => {
	const made = installed("{}");
	expect((await looked(made)).doctor).toContain("All checks passed");
	const { doctor } = await looked(made, [...args], env);
	expect(doctor).toContain("why can't be seen from here");
	expect(doctor).not.toContain("All checks passed");
	expect((await looked(made)).doctor).toContain("All checks passed");
});
