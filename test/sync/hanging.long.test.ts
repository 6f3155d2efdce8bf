import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { quietly } from "../../src/files/quietly.ts";
import { LAUNCHER, run } from "../kit/sandbox.ts";
import { hangingCarriers, shareBy } from "../kit/sync-silent.ts";
import { scratch } from "../scratch-home.ts";

const NAMES = ["a PostgreSQL that hangs", "a git remote that hangs"];

test.concurrent.each(NAMES)(
	"what a session starts ends by itself, and says why once: %s",
	{ timeout: 120_000 },
	async (name) => {
		const home = scratch("hanging");
		const root = join(home, ".claude-memory");
		mkdirSync(root, { mode: 0o700 });
		const address = (await hangingCarriers())[name]!;
		shareBy(root, address);
		const started = performance.now();
		const first = run([LAUNCHER, "sync", "now", "--auto"], { cwd: home, env: { HOME: home } });
		await Bun.sleep(1_500);
		const port = /127\.0\.0\.1:\d+/.exec(address)![0];
		const isGoing = (): boolean =>
			readdirSync("/proc").some((pid) => quietly(() => readFileSync(`/proc/${pid}/cmdline`, "utf8"))?.includes(port));
		expect(isGoing()).toBe(name.includes("git"));
		// the next one does not wait for it
		const next = performance.now();
		expect(await run([LAUNCHER, "sync", "now", "--auto"], { cwd: home, env: { HOME: home } })).toMatchObject({
			code: 0,
		});
		expect(performance.now() - next).toBeLessThan(5_000);
		expect(await first).toEqual({ code: 0, out: "", err: "" });
		expect(performance.now() - started).toBeGreaterThan(5_000);
		expect(isGoing()).toBe(false);
		expect(readFileSync(join(root, "log/ccg.log"), "utf8").trim().split("\n")).toHaveLength(1);
	},
);
