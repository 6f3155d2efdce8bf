import { resolve } from "node:path";
import { expect, test } from "vitest";
import { emptyState } from "../../src/core/state/session-state.ts";
import { readUsage, type UsageRecord, writeUsage } from "../../src/store/pressure/flags.ts";
import { addCheckpoint, hasReadable, readyCheckpoint, renewCheckpoint } from "../../src/store/recovery/checkpoints.ts";
import { writeReadable } from "../../src/store/recovery/workspace-file.ts";
import { type Session, sessionAt } from "../../src/store/session-handle.ts";
import { change, claimMarker, endCycleOf } from "../kit/cycle.ts";
import { storeAt } from "../kit/store.ts";
import { usage } from "../kit/usage.ts";
import { scratch } from "../scratch-home.ts";

const SRC = resolve(import.meta.dirname, "../../src");

const sessionIn = (name: string) => sessionAt(storeAt(scratch(name)), "s-1");

const NOW = new Date().toISOString();

/** As a measurement does that begins a process: nothing has opened the database. */
function measured(session: Session): UsageRecord {
	const code = `
		import { knownCycle } from "${SRC}/store/session/cycles.ts";
		import { sessionAt } from "${SRC}/store/session-handle.ts";
		const given = sessionAt({ root: ${JSON.stringify(session.root)}, tell() {} }, "s-1");
		console.log(JSON.stringify(knownCycle(given)));`;
	const { stdout } = Bun.spawnSync([process.execPath, "-e", code]);
	writeUsage(session, usage({ at: NOW, ...JSON.parse(stdout.toString()) }));
	return readUsage(session)!;
}

test("a measurement knows the cycle without the database until anything is written to the store", () => {
	const session = sessionIn("known");
	change(session, { number: 1 });
	const first = measured(session);
	expect(first).toMatchObject({ cycle: { number: 1 }, stamp: expect.stringMatching(/^\d+ [\d.]+ \d+$/) });
	// what was kept counts, whatever it says
	writeUsage(session, { ...first, cycle: { ...first.cycle, number: 7 } });
	expect(measured(session).cycle.number).toBe(7);
	for (const one of [session, sessionAt(session, "s-2")]) {
		change(one, { isHaltTold: true });
		const { stamp } = readUsage(session)!;
		expect(measured(session)).toMatchObject({ cycle: { number: 1, isHaltTold: true } });
		expect(readUsage(session)!.stamp).not.toBe(stamp);
	}
	claimMarker(session, 5);
	expect(measured(session).cycle.nudged).toEqual({ tokens: 5 });
	endCycleOf(session);
	expect(measured(session).cycle).toEqual({ number: 2, compactedAt: "" });
});

test("the readable form is old when the checkpoint was saved behind it, and not by any other clock", () => {
	const session = sessionIn("readable");
	const content = { trigger: "manual", projectDir: "", transcriptPath: "", state: emptyState(), workspace: null };
	const saved = addCheckpoint(session, new Date(Date.now() - 60_000), content)!;
	expect(hasReadable(session, saved.key)).toBe(false);
	writeReadable(session, saved);
	expect(hasReadable(session, saved.key)).toBe(true);
	renewCheckpoint(session, readyCheckpoint({ ...saved, at: new Date(Date.now() + 60_000).toISOString() }));
	expect(hasReadable(session, saved.key)).toBe(false);
});
