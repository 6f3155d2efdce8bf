import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { at } from "../../kit/task-session.ts";
import { scratch } from "../../scratch-home.ts";

describe("where the task is", () => {
	test("CCG_TASK_ROOT, with or without a session", async () => {
		at.env = { HOME: at.home, CCG_TASK_ROOT: join(at.home, "my tasks") };
		expect(await at.ccg("ensure")).toMatchObject({ code: 0, err: "" });
		expect(existsSync(join(at.home, "my tasks", "summaries", "latest-summary.md"))).toBe(true);
		expect(existsSync(at.store)).toBe(false);
		await at.ccg("checkpoint", "--next", "b");
		at.pressure(0.3);
		expect((await at.ccg("status")).code).toBe(4);
		at.env.CLAUDE_CODE_SESSION_ID = "s-1";
		expect((await at.ccg("status")).out).toContain("0.30 normal (measured)");
	});

	test("a session nobody knows is refused, unless this runs in it or the task has a folder of its own", async () => {
		for (const args of [["ensure"], ["status"], ["checkpoint", "--did", "x"]]) {
			const ran = await at.ccg(...args, "--session", "s-typo");
			expect(ran, args[0]).toMatchObject({ code: 1, out: "" });
			expect(ran.err).toContain(`no session s-typo in ${at.store}; 'ccg status --all' lists those known`);
		}
		expect(existsSync(join(at.store, "sessions", "s-typo"))).toBe(false);
		expect(await at.ccg("ensure", "--session", "s-1")).toMatchObject({ code: 0, status: "OK" });
		at.env.CCG_TASK_ROOT = join(at.home, "tasks");
		expect(await at.ccg("ensure", "--session", "s-typo")).toMatchObject({ code: 0, status: "OK" });
	});

	test("--session that is no session id is wrong use", async () => {
		const ran = await at.ccg("status", "--session", "../../x");
		expect(ran.code).toBe(2);
		expect(ran.err).toContain("a session id has");
	});

	test("the session of this project seen last, which is said", async () => {
		at.pressure(0.1, new Date(at.now.getTime() - 60_000), "s-old");
		at.pressure(0.1, at.now, "s-new");
		at.inProject("s-other", scratch("other"), new Date(at.now.getTime() + 60_000));
		at.env = { HOME: at.home };
		const ran = await at.ccg("ensure");
		expect(ran.err).toContain("s-new");
		expect(existsSync(join(at.store, "sessions", "s-new", "task-state.json"))).toBe(true);
	});

	test("never a session of another project", async () => {
		const other = scratch("other");
		at.inProject("s-other", other, at.now);
		at.env = { HOME: at.home };
		for (const args of [["status"], ["ensure"], ["checkpoint", "--did", "x"], ["bundle"], ["archive"], ["resume"]]) {
			const ran = await at.ccg(...args);
			expect(ran, args[0]).toMatchObject({ code: 1, out: "" });
			expect(ran.err, args[0]).toContain("no session is known of this project");
			expect(ran.err, args[0]).toContain("--session ID");
			expect(ran.err, args[0]).toContain("ccg sessions list");
		}
		expect(existsSync(join(at.store, "sessions", "s-other", "task-state.json"))).toBe(false);
		expect(await at.ccg("ensure", "--session", "s-other")).toMatchObject({ code: 0, status: "OK" });
	});

	test.each([
		[{}, ["status"], "CCG_TASK_ROOT"],
		[{ HOME: "/no/such/home" }, ["status"], "no session is known"],
	])("else an error that says what to set: %j %j", async (other, args, message) => {
		at.env = other;
		const ran = await at.ccg(...args);
		expect(ran.code).toBe(1);
		expect(ran.err).toContain(message);
	});
});
