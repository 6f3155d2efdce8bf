import * as fc from "fast-check";
import { expect, test } from "vitest";
import { MAX_INJECTED_CHARS } from "../../../src/core/recovery/budget.ts";
import { recoveredOf } from "../../../src/core/recovery/checkpoints/recovered.ts";
import { restoredBlock } from "../../../src/core/recovery/checkpoints/restored-block.ts";
import { validate } from "../../../src/core/recovery/checkpoints/validation.ts";
import { emptyState } from "../../../src/core/state/session-state.ts";
import { sealedText } from "../../../src/store/gate.ts";
import { parseCheckpoint } from "../../../src/store/recovery/read-checkpoint.ts";
import { MUTATION } from "../../faults/mutate.ts";

const KEY = "manual_checkpoint_20260301_123045";
const NOW = new Date("2026-03-01T13:00:00.000Z");

const whole = sealedText({
	version: 1,
	key: KEY,
	at: "2026-03-01T12:30:45.678Z",
	session: "s-1",
	trigger: "manual_request",
	type: "manual",
	projectDir: "/srv/shop",
	transcriptPath: "/srv/t.jsonl",
	state: {
		...emptyState(),
		messages: Array.from({ length: 8 }, (_, order) => ({
			at: "",
			order,
			source: "typed",
			text: `Never touch part ${order}.`,
			directives: [`Never touch part ${order}.`],
		})),
		files: [{ path: "/srv/shop/a.ts", edits: 2, reads: 1, order: 9, at: "" }],
		tasks: [{ id: "1", subject: "Round the totals", status: "in_progress", order: 3 }],
	},
	workspace: null,
	memories: [{ category: "serena", key: "phase_plan", bytes: 9, modifiedAt: "" }],
	waves: [],
});

/** Given back as a restore would, or the reason why not. */
function restored(text: string): { percent: number; block: string } | { reason: string } {
	const { checkpoint, problem, seal } = parseCheckpoint(text);
	const file = { key: KEY, session: "s-1", checkpoint, seal, ...(problem !== undefined && { problem }) };
	const around = { now: NOW, freshHours: 24, goneFiles: [], memories: new Set(["serena/phase_plan"]) };
	const { valid, integrity } = validate(file, around);
	if (!valid || !checkpoint) {
		const why = integrity.checks.filter(({ ok, must }) => !ok && must);
		return { reason: why.map(({ reason }) => reason).join("; ") };
	}
	const block = restoredBlock({
		checkpoint,
		path: "/store/x.md",
		at: NOW.toISOString(),
		by: "user",
		changes: [],
		missing: [],
		maxChars: MAX_INJECTED_CHARS,
	});
	return { percent: recoveredOf(checkpoint, around.memories).percent, block };
}

/** `CCG_TEST_MUTATED` makes more of them. */
const COUNT = Number(process.env.CCG_TEST_MUTATED ?? 300);

test("a whole one comes back whole", () => {
	expect(restored(whole)).toMatchObject({ percent: 100 });
	const laidOut = JSON.stringify(JSON.parse(whole), null, 2);
	expect(restored(laidOut)).toMatchObject({ percent: 100 });
});

test(`of ${COUNT} mutated ones each is given back whole or refused with a reason, and none throws`, () => {
	const unsealed = JSON.stringify({ ...JSON.parse(whole), sha256: undefined });
	const refused: string[] = [];
	for (const [i, mutate] of fc.sample(MUTATION, { numRuns: COUNT, seed: 7 }).entries()) {
		// without a seal the schema alone stands between the file and the model
		const text = mutate(i % 2 === 0 ? whole : unsealed);
		const came = restored(text);
		if ("reason" in came) {
			expect(came.reason, text).not.toBe("");
			refused.push(came.reason);
		} else {
			if (i % 2 === 0) expect(came.percent).toBe(100);
			expect(came.block).toContain("ccg restored");
			expect(came.block.length).toBeLessThanOrEqual(MAX_INJECTED_CHARS);
		}
	}
	expect(refused.length).toBeGreaterThan(COUNT * 0.5);
});
