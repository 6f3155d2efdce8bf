import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { launchOptions, readSettings } from "../../../src/claude/machine/compaction-settings.ts";
import { compactionTrigger } from "../../../src/core/pressure/compaction-trigger.ts";
import { corpus } from "../../kit/corpus.ts";
import { scratch } from "../../scratch-home.ts";

const CASES = corpus(join(import.meta.dirname, "compaction-settings.txt"));
const OF_USER = { autoCompactWindow: 400_000, modelSettings: { "claude-opus-5-5": { autoCompactWindow: 500_000 } } };

test.skipIf(process.platform === "darwin").each(CASES["command lines"]!)(
	"the trigger of Claude Code's command line: %s",
	(row) => {
		const [, words, trigger] = /: (\[.*\]) => (.*)$/.exec(row)!;
		const home = scratch("launched");
		const project = join(home, "project");
		for (const folder of [project, join(home, ".claude")]) mkdirSync(folder, { recursive: true });
		writeFileSync(join(home, ".claude/settings.json"), JSON.stringify(OF_USER));
		writeFileSync(join(project, "own.json"), '{"autoCompactWindow":250000}');
		const child = Bun.spawn(["/bin/sh", "-c", "read _; :", "claude", ...JSON.parse(words!)], { stdin: "pipe" });
		const env = { HOME: home, CLAUDE_PID: String(child.pid) };
		// until it is another program
		while (!readFileSync(`/proc/${child.pid}/cmdline`, "utf8").includes("claude")) Bun.sleepSync(1);
		const launch = launchOptions(env, () => undefined);
		child.kill();
		const scopes = readSettings(env, project, launch);
		const model = { model: "claude-opus-5-5", reportedWindow: null, claudeVersion: "2.1.332" };
		expect(compactionTrigger({ ...model, env, scopes, observed: () => [] }).tokens).toBe(JSON.parse(trigger!));
	},
);

test.each(["", "0", "-1", "1/../self", "99999999"])("a process %j tells nothing", (pid) => {
	const { autocompact, settings } = launchOptions({ CLAUDE_PID: pid }, () => undefined);
	expect([autocompact, settings]).toEqual([undefined, undefined]);
});
