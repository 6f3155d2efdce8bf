import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { preCompact } from "../../src/events/pre-compact.ts";
import type { Budget } from "../../src/events/run/event.ts";
import { sessionStart } from "../../src/events/session-start.ts";
import { type EventSession, eventSession, given } from "../kit/services.ts";
import { ASKED, call, PLANTED, put, talk } from "./limits-fixture.ts";

/** Every optional step is left out. */
const SPENT: Budget = { spentMs: () => 1, isSpent: () => true };

const PLAN = "**Goal**: split the billing module\n1. move it\n";

function staged(): EventSession {
	const at = eventSession("deadline");
	const edit = (n: number) => ({ file_path: `${at.project}/src/part${n}.ts`, old_string: "a", new_string: "b" });
	const work = Array.from({ length: 40 }, (_, n) => call("Edit", edit(n), n));
	talk(at, work);
	put(join(at.project, ".active-plan.md"), PLAN);
	return at;
}

/** Steering text and block of a compaction. */
function compact(at: EventSession): { steering: string; block: string } {
	const steering = at.send(preCompact, { trigger: "auto" }) ?? "";
	at.later(1);
	return { steering, block: given(at.send(sessionStart, { source: "compact" })) ?? "" };
}

describe("a hook that has spent its time", () => {
	test("gives the user's words, and tells what it left out", () => {
		const at = staged();
		at.budget = SPENT;
		const { block, steering } = compact(at);
		for (const words of [PLANTED, ASKED]) expect(block).toContain(words);
		expect(steering).toContain(PLANTED);
		expect(block).not.toContain("split the billing module");
		expect(at.failures.join("\n")).toContain("left out for want of time: the workspace");
	});

	test("harmless: with time left nothing is left out, and the block is the same each time", () => {
		const [one, two] = [staged(), staged()];
		const blocks = [one, two].map((at) => {
			delete at.budget;
			return compact(at)
				.block.replaceAll(at.top, "")
				.replace(/precompact_checkpoint_\d+_\d+/g, "KEY");
		});
		expect(blocks[0]).toBe(blocks[1]);
		expect(blocks[0]).toContain("split the billing module");
		expect(blocks[0]).toContain("src/part39.ts");
		expect([...one.failures, ...two.failures]).toEqual([]);
	});
});
