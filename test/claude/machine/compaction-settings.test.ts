import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { compactionScopes, launchOptions } from "../../../src/claude/machine/compaction-settings.ts";
import { compactionTrigger } from "../../../src/core/pressure/compaction-trigger.ts";
import { scratch } from "../../scratch-home.ts";

const OF_USER = { autoCompactWindow: 400_000, modelSettings: { "claude-opus-5-5": { autoCompactWindow: 500_000 } } };

test.skipIf(process.platform === "darwin").each<[string, string[], number | null]>([
	["nothing of it", ["-p", "hello"], 467_000],
	["a window", ["--autocompact", "200k"], 167_000],
	["with an equals sign", ["--autocompact=0.3M"], 267_000],
	["short for thousands", ["--autocompact", "200"], 167_000],
	["twice: the last", ["--autocompact", "200k", "-p", "x", "--autocompact", "300k"], 267_000],
	["auto: no file's", ["--autocompact", " Auto"], 967_000],
	["in a prompt", ["-p", "what does --autocompact 200k do?"], 467_000],
	["settings as JSON", ["--settings", '{ "autoCompactWindow": 200000 }'], 167_000],
	["settings as a file of the project's folder", ["--settings", "own.json"], 217_000],
	["settings as a string", ["--settings", '{"autoCompactWindow":"200k"}'], 467_000],
	["settings that are not there", ["--settings", "none.json"], 467_000],
	["settings that switch it off", ["--settings", '{"autoCompactEnabled":false}'], null],
	["both: the flag", ["--settings", '{"autoCompactWindow":200000}', "--autocompact", "300k"], 267_000],
])("the trigger of Claude Code's command line: %s", (_, words, trigger) => {
	const home = scratch("launched");
	const project = join(home, "project");
	for (const folder of [project, join(home, ".claude")]) mkdirSync(folder, { recursive: true });
	writeFileSync(join(home, ".claude/settings.json"), JSON.stringify(OF_USER));
	writeFileSync(join(project, "own.json"), '{"autoCompactWindow":250000}');
	const child = Bun.spawn(["/bin/sh", "-c", "read _; :", "claude", ...words], { stdin: "pipe" });
	const env = { HOME: home, CLAUDE_PID: String(child.pid) };
	// until it is another program
	while (!readFileSync(`/proc/${child.pid}/cmdline`, "utf8").includes("claude")) Bun.sleepSync(1);
	const launch = launchOptions(env, () => undefined);
	child.kill();
	const scopes = compactionScopes(env, project, launch);
	const model = { model: "claude-opus-5-5", reportedWindow: null, claudeVersion: "2.1.332" };
	expect(compactionTrigger({ ...model, env, scopes, observed: () => [] }).tokens).toBe(trigger);
});

test.each(["", "0", "-1", "1/../self", "99999999"])("a process %j tells nothing", (pid) => {
	const { autocompact, settings } = launchOptions({ CLAUDE_PID: pid }, () => undefined);
	expect([autocompact, settings]).toEqual([undefined, undefined]);
});
