import { expect, test } from "vitest";
import { cycleOf, endCycle, markerState } from "../../../src/store/pressure/marker.ts";
import { readUsage } from "../../../src/store/pressure/usage-record.ts";
import { commitPending, setPending } from "../../../src/store/recovery/pending.ts";
import { sessionAt } from "../../../src/store/session-handle.ts";
import { storeAt } from "../../kit/store.ts";
import { at } from "./halt-session.ts";

const session = () => sessionAt(storeAt(at.store), "s-1");

function compact(): void {
	setPending(session(), { key: "precompact_checkpoint_1", at: at.now.toISOString(), trigger: "auto" });
	commitPending(session(), at.now);
	endCycle(session());
}

test("a measurement that read before a compaction and ends after it leaves no marker", () => {
	for (const before of ["the first compaction", "a later one"]) {
		const cycle = cycleOf(session());
		compact();
		at.tokens(160_000, { cycle });
		expect([before, markerState(session()), at.marker()]).toEqual([before, "none", false]);
		expect(readUsage(session())?.tokens ?? null).toBeNull();
	}
	at.tokens(160_000);
	expect([markerState(session()), at.marker()]).toEqual(["marker", true]);
});
