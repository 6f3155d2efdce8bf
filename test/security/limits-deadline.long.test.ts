import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { preCompact } from "../../src/events/pre-compact.ts";
import { sessionStart } from "../../src/events/session-start.ts";
import { Transcript } from "../kit/events.ts";
import { type EventSession, eventSession, given } from "../kit/services.ts";

/** Steering text and block of a compaction in which no optional step has time, or each has. */
function compact(isSpent: boolean): { at: EventSession; steering: string; block: string } {
	const at = eventSession("deadline");
	const transcript = new Transcript(at.project).typed("Never touch the folder legacy-billing.").said("Understood.");
	for (let n = 0; n < 40; n++) {
		const edit = { file_path: `${at.project}/src/part${n}.ts`, old_string: "a", new_string: "b" };
		transcript.call("Edit", edit, "done");
	}
	transcript.write(at.transcript);
	writeFileSync(join(at.project, ".active-plan.md"), "**Goal**: split the billing module\n1. move it\n");
	if (isSpent) at.budget = { spentMs: () => 1, isSpent: () => true };
	else delete at.budget;
	const steering = at.send(preCompact, { trigger: "auto" }) ?? "";
	at.later(1);
	return { at, steering, block: given(at.send(sessionStart, { source: "compact" })) ?? "" };
}

test("a hook that has spent its time gives the user's words, and tells what it left out", () => {
	const { at, block, steering } = compact(true);
	for (const text of [block, steering]) expect(text).toContain("Never touch the folder legacy-billing.");
	expect(block).not.toContain("split the billing module");
	expect(at.failures.join("\n")).toContain("left out for want of time: the workspace");
});

test("harmless: with time left nothing is left out, and the block is the same each time", () => {
	const [one, two] = [compact(false), compact(false)].map(({ at, block }) => {
		expect(at.failures).toEqual([]);
		return block.replaceAll(at.top, "").replace(/precompact_checkpoint_\d+_\d+/g, "KEY");
	});
	expect(one).toBe(two);
	for (const part of ["split the billing module", "src/part39.ts"]) expect(one).toContain(part);
});
