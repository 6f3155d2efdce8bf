import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { scratch } from "../scratch-home.ts";

const LAUNCHER = resolve(import.meta.dirname, "../../bin/ccg");

test("the demo plays from install to uninstall, each step with what the hooks said, and leaves the home as it was", () => {
	const home = join(scratch("demo"), "home");
	mkdirSync(home);
	const text = execFileSync(LAUNCHER, ["demo"], { env: { HOME: home, PATH: process.env.PATH }, encoding: "utf8" });
	const steps = [
		"ccg install --yes",
		"save due",
		"the flush marker drops",
		"3 in parallel, ask at once; 1 gets the nudge",
		"ccg nudge: automatic compaction of this conversation is near",
		"the other 2: silent",
		"ccg memory save --target memory\n",
		"Pressure is critical: the user is told once",
		"ccg: lines of the user that the summary should keep word for word",
		"ccg recovery precompact_checkpoint_",
		"ccg report --last",
		"given back  directive:",
		"ccg memory: notes saved in earlier sessions",
		"there was none, there is none",
		"Nothing of yours was touched.",
	];
	const places = steps.map((step) => text.indexOf(step));
	expect(steps.filter((_, i) => places[i]! < 0)).toEqual([]);
	expect(places.toSorted((a, b) => a - b)).toEqual(places);
	expect(text.match(/ccg memory save --target memory\n/g)).toHaveLength(1);
	expect(readdirSync(home)).toEqual([]);
}, 30_000);
