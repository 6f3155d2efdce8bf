import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { reportCommand } from "../../../src/events/steps/ccg-command.ts";
import { makeFake } from "../../doctor/fixture.ts";
import { hookOf } from "../../kit/services.ts";
import { scratch } from "../../scratch-home.ts";

afterEach(() => void vi.unstubAllEnvs());

test.each([
	["a terminal alone", "/nowhere", "! ~/ccg/bin/ccg show latest --as report"],
	["ccg on the PATH", "ccg/bin", "! ccg show latest --as report"],
])("with %s the report is asked for at no cost of a turn", (_, folder, command) => {
	const home = scratch("home");
	vi.stubEnv("HOME", home);
	const launcher = makeFake(join(home, "ccg"), "");
	const env = { HOME: home, PATH: join(home, folder) };
	expect(reportCommand(hookOf(home, {}, { launcher, env }))).toBe(command);
});
