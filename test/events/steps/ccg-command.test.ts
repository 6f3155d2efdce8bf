import { join } from "node:path";
import { expect, test } from "vitest";
import { reportCommand } from "../../../src/events/steps/ccg-command.ts";
import { makeFake, settings } from "../../doctor/fixture.ts";
import { hookOf } from "../../kit/services.ts";
import { scratch } from "../../scratch-home.ts";

test.each<[string, { onPath?: boolean; plugin?: boolean; skills?: boolean }, string]>([
	["a terminal alone", {}, "~/ccg/bin/ccg show latest --as report"],
	["ccg on the PATH", { onPath: true, plugin: true, skills: true }, "ccg show latest --as report"],
	["the plugin", { plugin: true }, "/ccg:report"],
	["commands of --skills", { skills: true }, "/ccg:report"],
])("with %s the report is asked for by what is at hand", (_, { onPath, plugin, skills }, command) => {
	const home = scratch("home");
	const launcher = makeFake(join(home, "ccg"), "");
	if (skills) settings(join(home, ".claude", "commands", "ccg", "report.md"), {});
	const env = { HOME: home, PATH: onPath ? join(home, "ccg", "bin") : "/nowhere" };
	const folders = plugin ? { root: join(home, "plugin"), data: join(home, "data") } : null;
	expect(reportCommand(hookOf(home, {}, { launcher, env, plugin: folders }))).toBe(command);
});
