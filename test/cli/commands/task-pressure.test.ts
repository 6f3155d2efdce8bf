import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { setCommitted } from "../../../src/store/recovery/pending.ts";
import { sessionAt } from "../../../src/store/session-handle.ts";
import { LAUNCHER } from "../../kit/sandbox.ts";
import { storeAt } from "../../kit/store.ts";
import { at, write } from "../../kit/task-session.ts";

describe("pressure", () => {
	test("measured by ccg, for the session this runs in", async () => {
		await at.ccg("ensure");
		at.pressure(0.6);
		expect((await at.ccg("status")).out).toContain("pressure  0.60 warning (measured)");
		at.pressure(0.9);
		expect(await at.ccg("status")).toMatchObject({ code: 4, status: "STATUS:HALT_CONTEXT_LIMIT" });
		expect(await at.ccg("bundle")).toMatchObject({ code: 4, status: "STATUS:HALT_CONTEXT_LIMIT" });
		expect(await at.ccg("status", "--pressure", "0.5")).toMatchObject({ code: 0 });
	});

	test("missing: 0.0 in the first turn, critical after the first checkpoint", async () => {
		expect((await at.ccg("ensure")).out).toContain("0.00 normal (first turn)");
		expect(await at.ccg("checkpoint", "--next", "b")).toMatchObject({ code: 0 });
		const ran = await at.ccg("checkpoint", "--next", "c");
		expect(ran).toMatchObject({ code: 4, status: "STATUS:HALT_CONTEXT_LIMIT" });
		expect(ran.out).toContain("missing after the first turn");
		for (const { out } of [ran, await at.ccg("status"), await at.ccg("ensure")]) {
			expect(out).toContain("was never measured");
			expect(out).toContain(`\`${LAUNCHER} doctor\``);
			expect(out).not.toContain("the pressure is critical");
		}
		// the halt rule writes before it stops
		expect(at.state().next_action).toBe("c");
		expect(readFileSync(at.latest(), "utf8")).toContain("- c\n");
	});

	test("what was measured before a compaction does not count after it", async () => {
		await at.ccg("ensure");
		await at.ccg("checkpoint", "--next", "b");
		at.pressure(0.95);
		setCommitted(sessionAt(storeAt(at.store), "s-1"), {
			key: "precompact_checkpoint_20260101_000000",
			at: new Date(at.now.getTime() + 1_000).toISOString(),
			trigger: "auto",
		});
		expect((await at.ccg("status")).out).toContain("0.00 normal (not measured since the compaction)");
		at.pressure(0.9, new Date(at.now.getTime() + 2_000));
		expect((await at.ccg("status")).code).toBe(4);
	});

	test("thresholds come from the configuration; wrong ones do not count", async () => {
		await at.ccg("ensure");
		at.pressure(0.5);
		write(join(at.store, "config.json"), '{"task":{"warn":0.2,"compress":0.3,"critical":0.4}}');
		expect((await at.ccg("status")).code).toBe(4);
		write(join(at.store, "config.json"), '{"task":{"warn":0.9,"critical":0.4}}');
		expect((await at.ccg("status")).code).toBe(0);
	});

	test("from compress on, ensure and bundle bring a summary that is behind up to date", async () => {
		for (const command of ["ensure", "bundle"]) {
			await at.ccg("checkpoint", "--next", `before ${command}`, "--pressure", "0");
			const behind = readFileSync(at.latest(), "utf8");
			await at.ccg(command, "--pressure", "0.69");
			expect(readFileSync(at.latest(), "utf8")).toBe(behind);
			await at.ccg(command, "--pressure", "0.7");
			expect(readFileSync(at.latest(), "utf8")).toContain(`- before ${command}\n`);
		}
	});
});
