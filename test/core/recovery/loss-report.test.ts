import { expect, test } from "vitest";
import type { Checkpoint } from "../../../src/core/recovery/checkpoint.ts";
import { itemId } from "../../../src/core/recovery/loss.ts";
import { claimsOf, lossReport, withFollowUp } from "../../../src/core/recovery/loss-report.ts";
import { reportLine, verdict } from "../../../src/core/recovery/loss-verdict.ts";
import { sectionsOf } from "../../../src/core/recovery/sections.ts";
import { applyToState } from "../../../src/core/state/apply.ts";
import { emptyState } from "../../../src/core/state/session-state.ts";

const at = "2026-11-21T02:00:00.000Z";

function checkpoint(...texts: string[]): Checkpoint {
	const state = emptyState();
	for (const text of texts) applyToState(state, { kind: "message", at, text, source: "typed" });
	state.tokens = 165_000;
	return {
		version: 1,
		key: "precompact_checkpoint_20261121_020000",
		at,
		session: "s-1",
		trigger: "auto",
		projectDir: "/p",
		transcriptPath: "/t.jsonl",
		state,
		workspace: null,
	};
}

const report = (
	one: Checkpoint,
	summary: string | null,
	ids: Set<string>,
	chars: { block: number; followUp: number },
	reloaded = "",
) => lossReport(one, summary, { ids, chars }, summary === null ? [] : claimsOf(one, summary), reloaded);

const ids = (one: Checkpoint, kind: string): string[] =>
	sectionsOf(one.state, one.workspace)
		.filter((section) => section.kind === kind)
		.flatMap((section) => section.items.map((item) => itemId(section.kind, item)));

const THREE = checkpoint(
	"Never touch src/legacy.",
	"Always render invoices through ledger modules before accounting exports.",
	"Use pnpm only.",
	"Now the mails.",
);
const SUMMARY =
	"Never touch src/legacy. Before accounting exports, invoices always render through ledger modules. " +
	"The user said 'now the mails.' The user also said \"deploy it to production\".";

test("kept, reworded, dropped and injected, by kind, with the lines", () => {
	const given = new Set(ids(THREE, "directive").slice(-1));
	const made = report(THREE, SUMMARY, given, { block: 700, followUp: 50 });
	expect(made).toMatchObject({
		version: 1,
		key: THREE.key,
		session: "s-1",
		trigger: "auto",
		tokensBefore: 165_000,
		summaryChars: SUMMARY.length,
		injectedChars: { block: 700, followUp: 50 },
		claims: [{ quote: "deploy it to production" }],
	});
	expect(made.kinds.message).toEqual({
		total: 4,
		verbatim: 2,
		reworded: 1,
		dropped: 1,
		injected: 1,
		droppedBack: 1,
		reloaded: 0,
		later: 0,
		lines: [
			{ text: expect.stringContaining("render invoices"), fate: "reworded", injected: false },
			{ text: '- "Use pnpm only."', fate: "dropped", injected: true },
		],
	});
	for (const kind of ["request", "directive", "decision"] as const) expect(made.kinds[kind]).toBeUndefined();
});

test("what the follow-up block gives is to come until it was injected", () => {
	const given = { ids: new Set<string>(), later: new Set(ids(THREE, "directive")), chars: { block: 0, followUp: 9 } };
	const made = lossReport(THREE, SUMMARY, given, []);
	expect(verdict([made])).toBe("The summary kept 3 of 4 things the user said; the other comes with the next call.");
	expect(verdict([withFollowUp(made)])).toBe("The summary kept 3 of 4 things the user said; the other is back.");
});

test("without a summary everything is dropped and nothing is claimed", () => {
	const made = report(THREE, null, new Set(), { block: 0, followUp: 0 });
	expect(made).toMatchObject({ summaryChars: null, claims: [] });
	for (const loss of Object.values(made.kinds)) expect(loss).toMatchObject({ dropped: loss.total, injected: 0 });
});

test("what the summary kept does not count as injected", () => {
	const all = new Set([...ids(THREE, "directive"), ...ids(THREE, "request")]);
	expect(report(THREE, SUMMARY, all, { block: 1, followUp: 0 }).kinds.message).toMatchObject({ injected: 2 });
});

test("what comes back from disk by itself is told apart", () => {
	const { message } = report(THREE, SUMMARY, new Set(), { block: 0, followUp: 0 }, "# rules\n- use pnpm only.").kinds;
	expect(message).toMatchObject({ dropped: 1, injected: 0, reloaded: 1 });
	expect(message!.lines.at(-1)).toEqual({ text: '- "Use pnpm only."', fate: "reloaded", injected: false });
});

test("lists at most 60 lines of a kind and counts all", () => {
	const many = checkpoint(...Array.from({ length: 90 }, (_, i) => `Never rename column ${i}.`), "Go on.");
	const { message } = report(many, "A summary.", new Set(), { block: 0, followUp: 0 }).kinds;
	expect([message!.total, message!.dropped, message!.lines.length]).toEqual([90, 90, 60]);
});

test("the line for the daily log", () => {
	const given = new Set(ids(THREE, "directive"));
	const line = reportLine(report(THREE, SUMMARY, given, { block: 700, followUp: 50 }));
	expect(line).toBe(
		"compaction (auto): of 4 statements of the user the summary kept 2 word for word and 1 in its own words; " +
			"the other is back (750 characters injected); 1 claims about the user without a source",
	);
	expect(reportLine(report({ ...THREE, trigger: "" }, null, new Set(), { block: 0, followUp: 0 }))).toBe(
		"compaction (unknown): of 4 statements of the user the summary kept 0 word for word and 0 in its own words; " +
			"all 4 are lost (0 characters injected)",
	);
});
