import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readUsage } from "../../../src/store/pressure/flags.ts";
import { grantPass, knownCycle } from "../../../src/store/session/cycles.ts";
import { commitPending, endCycleOf as endCycle, markerState, setPending } from "../../kit/cycle.ts";
import { LAUNCHER } from "../../kit/sandbox.ts";
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
		endCycle(at.stored);
		expect(at.marker()).toBe(false);
	});

	test("an unused pass falls with it", () => {
		at.mode("enforce");
		at.tokens(150_000);
		grantPass(at.stored, at.now);
		at.tokens(100_000);
		at.now = new Date(at.now.getTime() + 1);
		at.tokens(150_000);
		expect(denied(at.call("Edit"))).toBe(true);
	});

	test("a pass is for the task, not for the stop itself", () => {
		at.mode("enforce");
		at.tokens(150_000);
		grantPass(at.stored, at.now);
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
});

function compact(): void {
	setPending(at.stored, { key: "precompact_checkpoint_1", at: at.now.toISOString(), trigger: "auto" });
	commitPending(at.stored);
	endCycle(at.stored);
}

test("a measurement that read before a compaction and ends after it leaves no marker", () => {
	for (const before of ["the first compaction", "a later one"]) {
		const known = knownCycle(at.stored);
		compact();
		at.tokens(160_000, { known });
		expect([before, markerState(at.stored), at.marker()]).toEqual([before, "none", false]);
		expect(readUsage(at.stored)?.tokens ?? null).toBeNull();
	}
	at.tokens(160_000);
	expect([markerState(at.stored), at.marker()]).toEqual(["marker", true]);
});
