import { join } from "node:path";
import { test } from "vitest";
import { gitIn } from "../kit/git.ts";
import { playByPostgres, playMachines } from "../kit/machine-histories.ts";
import { describeWith } from "../kit/with-programs.ts";

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

describeWith("postgres")("by PostgreSQL", () => {
	test("the same 300 times", { timeout: 1_800_000 }, () => playByPostgres(100, 400));
});
