import { join } from "node:path";
import { test } from "vitest";
import { gitIn } from "../kit/git.ts";
import { playByPostgres, playMachines } from "../kit/machine-histories.ts";
import { describeWith } from "../kit/with-programs.ts";

test("by a folder, cut off at any step", { timeout: 60_000 }, async () => {
	for (let seed = 1; seed <= 4; seed++) await playMachines(seed, (base) => join(base, "shared"));
});

test("by a git repository, cut off at any step", { timeout: 60_000 }, async () => {
	for (let seed = 1; seed <= 1; seed++)
		await playMachines(seed, (base) => {
			gitIn(base, base, ["init", "-q", "--bare", join(base, "far.git")]);
			return `git:${join(base, "far.git")}`;
		});
});

describeWith("postgres")("by PostgreSQL", () => {
	test("cut off at any step", { timeout: 60_000 }, () => playByPostgres(1, 3));
});
