import { join } from "node:path";
import { test } from "vitest";
import { gitIn } from "../kit/git.ts";
import { playMachines } from "../kit/machine-histories.ts";

test("the same 300 times by a folder", { timeout: 1_200_000 }, async () => {
	for (let seed = 100; seed < 400; seed++) await playMachines(seed, (base) => join(base, "shared"));
});

test("the same 100 times by a git repository", { timeout: 1_800_000 }, async () => {
	for (let seed = 100; seed < 200; seed++)
		await playMachines(seed, (base) => {
			gitIn(base, base, ["init", "-q", "--bare", join(base, "far.git")]);
			return `git:${join(base, "far.git")}`;
		});
});
