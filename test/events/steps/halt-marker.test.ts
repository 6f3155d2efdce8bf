import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { grantPass } from "../../../src/store/pressure/halt.ts";
import { endCycle } from "../../../src/store/pressure/marker.ts";
import { sessionAt } from "../../../src/store/session-handle.ts";
import { LAUNCHER } from "../../kit/sandbox.ts";
import { storeAt } from "../../kit/store.ts";
import { at, denied } from "./halt-session.ts";

describe("the halt marker", () => {
	test.each([
		[141_949, false],
		[141_950, true],
		[200_000, true],
	])("at %d tokens: %s", (count, stands) => {
		at.tokens(count);
		expect(at.marker()).toBe(stands);
	});

	test("falls with the pressure, and with the cycle; an unknown pressure changes nothing", () => {
		at.tokens(150_000);
		at.tokens(null);
		expect(at.marker()).toBe(true);
		at.tokens(140_000);
		expect(at.marker()).toBe(false);
		at.tokens(150_000);
		endCycle(sessionAt(storeAt(at.store), "s-1"));
		expect(at.marker()).toBe(false);
	});

	test("an unused pass falls with it", () => {
		at.mode("enforce");
		at.tokens(150_000);
		grantPass(sessionAt(storeAt(at.store), "s-1"), at.now);
		at.tokens(100_000);
		at.tokens(150_000);
		expect(denied(at.call("Edit"))).toBe(true);
	});

	test("a pass is for the task, not for the stop itself", () => {
		at.mode("enforce");
		at.tokens(150_000);
		grantPass(sessionAt(storeAt(at.store), "s-1"), at.now);
		for (const input of [
			{ command: `env -u CLAUDECODE ${LAUNCHER} task resume --session s-1` },
			{ command: `rm ${at.store}/run/halt/s-1` },
			{ command: "rm ~/.claude-memory/run/halt/*" },
		])
			expect(denied(at.call("Bash", input))).toBe(true);
		expect(denied(at.call("Write", { file_path: join(at.store, "config.json"), content: "{}" }))).toBe(true);
		expect(denied(at.call("Edit", { file_path: join(at.project, "a.ts") }))).toBe(false);
	});

	test("the threshold is the configuration's; off drops none", () => {
		writeFileSync(join(at.store, "config.json"), '{"task":{"critical":0.95}}');
		at.tokens(150_000);
		expect(at.marker()).toBe(false);
		at.mode("off");
		at.tokens(166_000);
		expect(at.marker()).toBe(false);
	});

	test("where nothing compacts by itself the window counts", () => {
		at.tokens(180_000, { model: "claude-sonnet-4-5" });
		expect(at.marker()).toBe(true);
	});
});
