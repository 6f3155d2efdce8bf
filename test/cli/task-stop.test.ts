import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { haltRule } from "../../src/core/pressure/halt-text.ts";
import { mayPass } from "../../src/core/session/cycle.ts";
import { sessionPaths } from "../../src/store/paths.ts";
import { haltSince, raiseHalt } from "../../src/store/pressure/flags.ts";
import { readCycle } from "../../src/store/session/cycles.ts";
import { runCcg } from "../kit/ccg.ts";
import { setCommitted } from "../kit/cycle.ts";
import { LAUNCHER } from "../kit/sandbox.ts";
import { scratch } from "../scratch-home.ts";
import { at, handle, latest, measure, read, state, task, write } from "./task-session.ts";

describe("pressure", () => {
	test("measured, given, missing, from before a compaction, with thresholds of the configuration", async () => {
		expect((await task("ensure")).out).toContain("0.00 normal (first turn)");
		measure(0.6);
		expect((await task("status")).out).toContain("pressure  0.60 warning (measured)");
		measure(0.9);
		for (const args of [["status"], ["bundle"], ["ensure"]])
			expect(await task(...args), args[0]).toMatchObject({ code: 4, status: "STATUS:HALT_CONTEXT_LIMIT" });
		expect((await task("status", "--pressure", "0.5")).code).toBe(0);
		await task("checkpoint", "--next", "b");
		const key = "precompact_checkpoint_20260101_000000";
		setCommitted(handle(), { key, at: new Date(at.now.getTime() + 1_000).toISOString(), trigger: "auto" });
		expect((await task("status")).out).toContain("0.00 normal (not measured since the compaction)");
		// `ccg status` says the same of it
		expect((await runCcg(["status", "s-1", "--json"], { env: at.env, cwd: at.home, now: at.now })).json).toMatchObject({
			tokens: null,
			zone: "unknown",
		});
		measure(0.5, new Date(at.now.getTime() + 2_000));
		expect((await task("status")).code).toBe(0);
		write(join(at.store, "config.json"), '{"task":{"warn":0.2,"compress":0.3,"critical":0.4}}');
		expect((await task("status")).code).toBe(4);
	});

	test("missing after the first checkpoint is critical: it is saved, then stopped", async () => {
		await task("checkpoint", "--next", "b");
		const ran = await task("checkpoint", "--next", "c");
		expect(ran).toMatchObject({ code: 4, status: "STATUS:HALT_CONTEXT_LIMIT" });
		expect(ran.out).toContain(`\`${LAUNCHER} doctor\``);
		expect([state().next_action, read(latest()).includes("- c\n")]).toEqual(["c", true]);
	});
});

describe("the stop", () => {
	const stop = (sid = "s-1") => raiseHalt(handle(sid), at.now.toISOString());
	const mayPassNow = (): boolean => mayPass(readCycle(handle()), haltSince(handle())!);
	const stands = (sid: string): boolean => existsSync(sessionPaths(at.store, sid).haltMarker);

	test("a checkpoint while it stands lets one change through; one before it does not", async () => {
		measure(0.9);
		await task("checkpoint", "--next", "a");
		at.now = new Date(at.now.getTime() + 1_000);
		stop();
		expect(mayPassNow()).toBe(false);
		const ran = await task("checkpoint", "--next", "b");
		expect([ran.code, mayPassNow()]).toEqual([4, true]);
		expect(ran.out).toContain(haltRule("warn"));
		write(join(at.store, "config.json"), '{"guard":{"mode":"enforce"}}');
		expect((await task("status")).out).toContain(`the pressure is critical (from 0.85). ${haltRule("enforce")}`);
	});

	test("a person lifts it, until the next compaction or for a time; an agent can't", async () => {
		measure(0.9);
		await task("ensure");
		stop();
		at.env = { HOME: at.home };
		expect((await task("resume", "--session", "s-1")).code).toBe(0);
		expect(stands("s-1")).toBe(false);
		expect((await task("status")).out).toContain("lifted by a person until the next compaction");
		at.env.CLAUDECODE = "1";
		expect(await task("resume")).toMatchObject({ code: 1, err: expect.stringContaining("outside Claude Code") });
	});

	test("'resume' alone lifts the stops of this project, and none of another", async () => {
		at.env = { HOME: at.home };
		for (const [sid, folder] of [
			["here", at.home],
			["here-too", at.home],
			["other", join(at.home, "p")],
		] as const) {
			measure(0.9, at.now, sid, folder);
			stop(sid);
		}
		expect((await task("resume")).out).toMatch(/^goes on until the next compaction: session here\S*, here/);
		expect(["here", "here-too", "other"].map(stands)).toEqual([false, false, true]);
	});
});

describe("where the task is", () => {
	test("of this project the one seen last is meant, never one of another", async () => {
		at.env = { HOME: at.home };
		measure(0.1, at.now, "s-other", scratch("other"));
		for (const args of [["status"], ["ensure"], ["checkpoint", "--did", "x"], ["bundle"], ["archive"], ["resume"]])
			expect((await task(...args)).err, args[0]).toContain("no session is known of this project");
		measure(0.1, new Date(at.now.getTime() - 60_000), "s-old");
		measure(0.1, at.now, "s-new");
		expect((await task("ensure")).err).toContain("s-new");
		expect((await task("ensure", "--session", "s-other")).code).toBe(0);
	});

	test.each([
		[{}, "HOME is no absolute path"],
		[{ HOME: "/no/such/home" }, "no session is known"],
	])("else an error that says what to set: %j", async (other, message) => {
		at.env = other;
		expect(await task("status")).toMatchObject({ code: 1, err: expect.stringContaining(message) });
	});
});
