import { expect, test } from "vitest";
import { emptyState } from "../../src/core/state/session-state.ts";
import { addCheckpoint, hasReadable, readyCheckpoint, renewCheckpoint } from "../../src/store/recovery/checkpoints.ts";
import { writeReadable } from "../../src/store/recovery/workspace-file.ts";
import { sessionAt } from "../../src/store/session-handle.ts";
import { storeAt } from "../kit/store.ts";
import { scratch } from "../scratch-home.ts";

const sessionIn = (name: string) => sessionAt(storeAt(scratch(name)), "s-1");

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
