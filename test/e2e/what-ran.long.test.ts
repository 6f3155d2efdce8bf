/** What ran, in the real client: whatever keeps its hooks from running, `ccg doctor` does not say that all is well. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { printedBy, startBeside } from "../kit/process.ts";
import { LAUNCHER } from "../kit/sandbox.ts";
import { type ClaudeSandbox, claudePath, claudeSandbox } from "./claude-sandbox.ts";
import { says } from "./replies.ts";

/** A client of a home with these settings, into which ccg is installed. Gives what the installer said, too. */
function installed(text: string) {
	const made = claudeSandbox(() => says(9_000, "done"), { install: null });
	writeFileSync(join(made.home, ".claude", "settings.json"), text);
	return { made, said: made.ccg("install", "--yes", "--in-place") };
}

/** One session, and what doctor says then. */
async function looked(made: ClaudeSandbox, args: string[] = [], env: Record<string, string> = {}) {
	await startBeside([claudePath(), "-p", "hi", ...args], { cwd: made.project, env: { ...made.env, ...env } });
	const options = { cwd: made.project, env: { HOME: made.home, PATH: made.env.PATH! } };
	const doctor = printedBy(["/bin/sh", "-c", `'${LAUNCHER}' doctor || true`], options);
	const seen = JSON.parse(made.ccg("status", "--json")).length > 0;
	return { doctor, seen };
}

/** Of each the client takes nothing. */
const REJECTED: [settings: string, said: string][] = [
	['{"env":null}', "env: Expected record, but received null"],
	['{"model":5}', "model: Expected string, but received number"],
	['{"disableAllHooks":"false"}', "disableAllHooks: Expected boolean"],
	['{"statusLine":{"type":"x","command":"true"}}', "statusLine.type: Invalid value"],
];

test.each(REJECTED)("rejected settings: %s", async (settings, why) => {
	const { made, said } = installed(settings);
	expect(said).toContain(why);
	const { doctor, seen } = await looked(made);
	expect(seen).toBe(false);
	expect(doctor).toContain(why);
	expect(doctor).toContain("called no hook of ccg");
	expect(doctor).not.toContain("All checks passed");
});

const MATCHED = (matcher: unknown) => JSON.stringify({ hooks: { Stop: [{ matcher, hooks: [] }] } });

test.each([{}, 5, null])("a matcher of another type keeps no other hook from running: %j", async (matcher) => {
	const { made, said } = installed(MATCHED(matcher));
	expect(said).toContain("hooks.Stop.0");
	const { doctor, seen } = await looked(made);
	expect(seen).toBe(true);
	expect(doctor).toContain("hooks.Stop.0");
	expect(doctor).not.toContain("All checks passed");
});

/** What the client takes for none, or passes over. */
test.each([
	"",
	" \n",
	'{"hooks":null}',
	'{"hooks":{"SessionStart":null}}',
	'{"hooks":{"Stop":{}}}',
	'{"hooks":{"Stop":7}}',
])("no obstacle: %j", async (settings) => {
	const { made, said } = installed(settings);
	expect(said).not.toContain("Warning");
	const { doctor, seen } = await looked(made);
	expect(seen).toBe(true);
	expect(doctor).toContain("All checks passed");
	made.ccg("uninstall", "--yes");
	expect(readFileSync(join(made.home, ".claude", "settings.json"), "utf8")).toBe(settings);
});

test.each([
	["--bare", ["--bare"], {}, /why can't be seen from here/],
	["--setting-sources", ["--setting-sources", "local"], {}, /why can't be seen from here/],
	["CLAUDE_CODE_SIMPLE", [], { CLAUDE_CODE_SIMPLE: "1" }, /why can't be seen from here/],
] as const)("a session without hooks: %s", async (_, args, env, why) => {
	const { made } = installed("{}");
	expect((await looked(made)).doctor).toContain("All checks passed");
	const { doctor } = await looked(made, [...args], env);
	expect(doctor).toMatch(why);
	expect(doctor).not.toContain("All checks passed");
	expect((await looked(made)).doctor).toContain("All checks passed");
});
