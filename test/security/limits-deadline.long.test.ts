import { expect, test } from "vitest";
import { preCompact } from "../../src/events/pre-compact.ts";
import { sessionStart } from "../../src/events/session-start.ts";
import { Transcript } from "../kit/events.ts";
import { eventSession, given } from "../kit/services.ts";
import { plant } from "./kit.ts";

test("a hook that has spent its time gives the user's words, and tells what it left out", () => {
	const at = eventSession("deadline");
	new Transcript(at.project).typed("Never touch the folder legacy-billing.").said("Understood.").write(at.transcript);
	plant(at, "echo '**Goal**: split the billing module' >.active-plan.md");
	at.budget = { spentMs: () => 1, isTimeUp: () => true };
	const steering = at.send(preCompact, { trigger: "auto" });
	at.later(1);
	const block = given(at.send(sessionStart, { source: "compact" }));
	for (const text of [block, steering]) expect(text).toContain("Never touch the folder legacy-billing.");
	expect(block).not.toContain("split the billing module");
	expect(at.failures.join("\n")).toContain("left out for want of time: the workspace");
});
