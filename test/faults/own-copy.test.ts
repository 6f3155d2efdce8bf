import { existsSync, readdirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { currentCopy } from "../../src/install/own-copy.ts";
import { ccg, sandbox } from "../kit/sandbox.ts";
import { struck } from "./struck.ts";

const MOMENTS = [60, 90, 120, 150, 180, 210, 250, 300, 500, 900, 1_400, 1_900];

test("killed at any moment an install leaves the copy of before or the new one, and the next one works", async () => {
	const at = sandbox();
	const env = { ...at.machineEnv, HOME: at.home };
	const app = join(at.store, "app");
	for (const ms of MOMENTS) {
		await struck(["install", "--yes"], ms, { cwd: at.project, env });
		const copy = currentCopy(app);
		// what `current` names is whole
		expect(existsSync(join(app, "current"))).toBe(copy !== null);
	}
	expect((await ccg(at, ["install", "--yes"])).code).toBe(0);
	const { folder } = currentCopy(app)!;
	expect(realpathSync(join(app, "current"))).toBe(realpathSync(folder));
	expect(readdirSync(app).filter((name) => !name.startsWith("."))).toHaveLength(2);
	expect((await ccg(at, ["install", "--yes"])).out).toContain("Already up to date");
});

test("eight installs at once leave one copy at work", async () => {
	const at = sandbox();
	const ran = await Promise.all(Array.from({ length: 8 }, () => ccg(at, ["install", "--yes"])));
	expect(ran.map(({ code }) => code)).toEqual(ran.map(() => 0));
	const app = join(at.store, "app");
	expect(currentCopy(app)).not.toBeNull();
	expect(readdirSync(app).filter((name) => name.startsWith("."))).toEqual([]);
});
