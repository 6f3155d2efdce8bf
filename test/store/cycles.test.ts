import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { glanceOf } from "../../src/core/session/cycle.ts";
import { emptyState } from "../../src/core/state/session-state.ts";
import { addCheckpoint, hasReadable, readyCheckpoint, renewCheckpoint } from "../../src/store/recovery/checkpoints.ts";
import { writeReadable } from "../../src/store/recovery/workspace-file.ts";
import { changeCycle, readCycle, readGlance } from "../../src/store/session/cycles.ts";
import { sessionAt } from "../../src/store/session-handle.ts";
import { change, claimMarker, endCycleOf } from "../kit/cycle.ts";
import { storeAt } from "../kit/store.ts";
import { scratch } from "../scratch-home.ts";

const sessionIn = (name: string) => sessionAt(storeAt(scratch(name)), "s-1");

test("of two changes at once the file says what the later one left", () => {
	const session = sessionIn("glance");
	const { paths } = session;
	let isOther = false;
	// the other one comes when the first is in the store and its file is not yet written
	const late = {
		...session,
		paths: {
			...paths,
			get glance() {
				if (!isOther) {
					isOther = true;
					change(session, { number: 2 });
				}
				return paths.glance;
			},
		},
	};
	changeCycle(late, (cycle) => {
		cycle.number = 1;
	});
	expect(isOther).toBe(true);
	expect(readCycle(session).number).toBe(2);
	expect(readGlance(session)).toEqual(glanceOf(readCycle(session)));
});

test("what a nudge left goes when the session goes on, also where cycles had none", () => {
	const session = sessionIn("nudged");
	const flag = { at: new Date().toISOString(), tokens: 1 };
	const left = (): string[] => readdirSync(session.paths.folder).filter((name) => name.startsWith("nudged-"));
	claimMarker(session, flag);
	expect(left()).toEqual(["nudged-0"]);
	endCycleOf(session);
	expect(left()).toEqual([]);
	endCycleOf(session);
	claimMarker(session, flag);
	change(session, { isHaltTold: true });
	expect(left()).toEqual(["nudged-2"]);
	endCycleOf(session);
	expect(left()).toEqual([]);
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
