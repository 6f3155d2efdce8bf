import { existsSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, test } from "vitest";
import { haltRule } from "../../../src/core/halt/halt-text.ts";
import { sessionPaths } from "../../../src/store/paths.ts";
import { dropHalt, takePass } from "../../../src/store/pressure/halt.ts";
import { sessionAt } from "../../../src/store/session-handle.ts";
import { LAUNCHER } from "../../kit/sandbox.ts";
import { storeAt } from "../../kit/store.ts";
import { at, write } from "../../kit/task-session.ts";

describe("the stop", () => {
	const halt = (): void =>
		dropHalt(
			sessionAt(storeAt(at.store), "s-1"),
			"enforce",
			{ at: at.now.toISOString(), tokens: 90_000, limit: 100_000, critical: 0.85 },
			at.now,
		);

	test("a checkpoint while it stands lets one change through; one before it does not", async () => {
		at.pressure(0.9);
		await at.ccg("checkpoint", "--next", "a");
		expect(takePass(sessionAt(storeAt(at.store), "s-1"))).toBe(false);
		halt();
		const ran = await at.ccg("checkpoint", "--next", "b");
		expect(ran).toMatchObject({ code: 4, status: "STATUS:HALT_CONTEXT_LIMIT" });
		expect(takePass(sessionAt(storeAt(at.store), "s-1"))).toBe(true);
		expect(ran.out).toContain(haltRule("warn"));
		write(join(at.store, "config.json"), '{"guard":{"mode":"enforce"}}');
		for (const args of [["status"], ["ensure"], ["bundle"]]) {
			const { out, status } = await at.ccg(...args);
			expect(status, args[0]).toBe("STATUS:HALT_CONTEXT_LIMIT");
			expect(out, args[0]).toContain(`the pressure is critical (from 0.85). ${haltRule("enforce")}`);
		}
		await at.ccg("checkpoint");
		expect(takePass(sessionAt(storeAt(at.store), "s-1"))).toBe(false);
	});

	test("a person lifts it, until the next compaction or for a time", async () => {
		at.env = { HOME: at.home };
		at.pressure(0.9);
		await at.ccg("ensure", "--session", "s-1");
		halt();
		expect((await at.ccg("status")).code).toBe(4);
		expect(await at.ccg("resume", "--session", "s-1")).toMatchObject({ code: 0 });
		expect(existsSync(sessionPaths(at.store, "s-1").haltMarker)).toBe(false);
		expect((await at.ccg("status")).out).toContain("lifted by a person until the next compaction");
		expect(await at.ccg("checkpoint", "--next", "b")).toMatchObject({ code: 0, status: "OK" });
		expect(JSON.parse((await at.ccg("resume", "--for", "30m", "--json")).out)).toEqual({
			session_id: "s-1",
			until: "2026-01-31T12:30:00.000Z",
			stood: false,
		});
		at.now = new Date(at.now.getTime() + 29 * 60_000);
		expect((await at.ccg("status")).code).toBe(0);
		at.now = new Date(at.now.getTime() + 60_000);
		expect((await at.ccg("status")).code).toBe(4);
	});

	test("'resume' alone lifts the only stop of the project, and asks where there are several", async () => {
		at.env = { HOME: at.home };
		const stopped = (sid: string, folder: string): void => {
			at.inProject(sid, folder, at.now);
			dropHalt(
				sessionAt(storeAt(at.store), sid),
				"enforce",
				{ at: at.now.toISOString(), tokens: 150, limit: 167, critical: 0.85 },
				at.now,
			);
		};
		const stands = (sid: string): boolean => existsSync(sessionPaths(at.store, sid).haltMarker);
		stopped("here", at.home);
		at.now = new Date(at.now.getTime() + 60_000);
		// seen last, and in another project
		stopped("other", join(at.home, "p"));
		expect(await at.ccg("resume")).toMatchObject({
			code: 0,
			out: `session here of project ${basename(at.home)} (${at.home}) goes on until the next compaction`,
			err: "",
		});
		expect([stands("here"), stands("other")]).toEqual([false, true]);
		// in no project of its own the only one there is
		expect((await at.ccg("resume")).out).toContain(`session other of project p (${join(at.home, "p")}) goes on`);
		for (const sid of ["a", "b"]) stopped(sid, at.home);
		rmSync(sessionPaths(at.store, "here").resumed);
		const several = await at.ccg("resume");
		expect(several.code).toBe(1);
		expect(several.err).toContain(`${LAUNCHER} task resume --session a   # ${at.home}`);
		expect([stands("a"), stands("b")]).toEqual([true, true]);
	});

	test("an agent can't", async () => {
		at.env.CLAUDECODE = "1";
		const ran = await at.ccg("resume");
		expect(ran.code).toBe(1);
		expect(ran.err).toContain("outside Claude Code");
		expect(existsSync(sessionPaths(at.store, "s-1").resumed)).toBe(false);
	});

	test.each(["30", "0m", "1d", "-5m", ""])("--for %j is wrong use", async (time) => {
		at.env = { HOME: at.home };
		expect((await at.ccg("resume", "--session", "s-1", "--for", time)).code).toBe(2);
	});
});
