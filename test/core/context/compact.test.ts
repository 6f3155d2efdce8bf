import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compact, RULES, tokensOf } from "../../../src/core/context/compact.ts";
import { sessionContext } from "../../../src/core/context/project.ts";
import { emptySnapshot, type HistoryEntry, type SessionSnapshot } from "../../../src/core/context/session-context.ts";

const NOW = 1_780_000_000;

const entry = (n: number, tokens = 100): HistoryEntry => ({
	timestamp: NOW - 10_000 + n,
	role: n % 3 === 0 ? "user" : n % 3 === 1 ? "assistant" : "tool",
	content: `entry ${n}`,
	token_count: tokens,
	id: `u${n}.0`,
	...(n % 3 === 2 && { tool: "Bash" }),
});
const withHistory = (count: number, tokens = 100): SessionSnapshot => ({
	...emptySnapshot("s", NOW),
	recent_history: Array.from({ length: count }, (_, n) => entry(n, tokens)),
});
const task = (id: string, status: string, hours: number): SessionSnapshot["state"]["tasks"][number] => ({
	id,
	subject: id,
	status,
	order: 0,
	changedAt: new Date((NOW - hours * 3600) * 1000).toISOString(),
});
/** The snapshot compacted; the one given stays. */
function done(before: SessionSnapshot) {
	const after = structuredClone(before);
	return { ...compact(after, NOW), after };
}
const kept = (count: number, tokens: number): number => done(withHistory(count, tokens)).after.recent_history.length;

describe("the default numbers", () => {
	test.each([
		["50 entries stay", 50, 100, 50],
		["of 51 the oldest 20 are summarised", 51, 100, 31],
		["of 70 again 20", 70, 100, 50],
		["of 71 as many as it takes, by twenties", 71, 100, 31],
		["of 10,000 all but the newest", 10_000, 10, 40],
		["over 100,000 tokens half is summarised", 48, 3_000, 30],
		["never one of the newest 30, however large", 30, 50_000, 30],
		["the newest 30 win over half of 40", 40, 50_000, 30],
		["100,000 tokens are not over 100,000", 50, 2_000, 50],
	])("%s", (_, count, tokens, left) => {
		expect(kept(count, tokens)).toBe(left);
	});

	test("completed tasks go after 24 hours, failed and running ones stay", () => {
		const before = emptySnapshot("s", NOW);
		before.state.tasks = [
			task("old", "completed", 24),
			task("new", "completed", 23),
			task("failed", "failed", 99),
			task("going", "in_progress", 99),
		];
		const { after, droppedTasks } = done(before);
		expect(sessionContext(after).active_tasks.map(({ id }) => id)).toEqual(["new", "failed", "going"]);
		expect(droppedTasks).toEqual(["old"]);
	});
});

test("the summary says what was summarised, and from when to when", () => {
	const { long_term_summary: summary, summarised } = sessionContext(done(withHistory(51)).after);
	expect(summary).toContain("Summarised 20 entries, 2026-05-28T17:40:00Z to 2026-05-28T17:40:19Z");
	expect(summary).toContain("7 of the user, 7 of the assistant, 6 of tools; about 2,000 tokens");
	expect(summary).toContain("Tools: Bash 6.");
	expect(summarised).toMatchObject({ rounds: 1, entries: 20, tokens: 2_000 });
});

test("the summary is bounded; what is left out of it is counted", () => {
	const snapshot = emptySnapshot("s", NOW);
	for (let n = 0; n < 40; n++) {
		snapshot.recent_history = Array.from({ length: 51 }, (_, i) => entry(n * 51 + i));
		compact(snapshot, NOW);
		expect(sessionContext(snapshot).long_term_summary.length).toBeLessThanOrEqual(RULES.summaryChars);
	}
	const { long_term_summary: summary, summarised } = sessionContext(snapshot);
	const shown = summary.match(/^Summarised 20 entries/gm)!.length;
	expect(summarised).toMatchObject({ rounds: 40, entries: 800 });
	expect(summary).toMatch(new RegExp(`^\\[${40 - shown} earlier summaries left out here\\]`));
});

/** Any history, facts and tasks of every age. */
const snapshots = fc
	.record({
		sizes: fc.array(fc.oneof(fc.nat(500), fc.nat(60_000)), { maxLength: 140 }),
		texts: fc.array(fc.string({ maxLength: 40 }), { maxLength: 5 }),
		tasks: fc.array(fc.tuple(fc.constantFrom("completed", "in_progress", "failed"), fc.nat(60)), { maxLength: 12 }),
	})
	.map(({ sizes, texts, tasks }): SessionSnapshot => {
		const snapshot = emptySnapshot("s", NOW);
		snapshot.recent_history = sizes.map((tokens, n) => ({ ...entry(n, tokens), content: texts[n % 5] ?? "" }));
		snapshot.state.tasks = tasks.map(([status, hours], n) => task(String(n), status, hours));
		return snapshot;
	});

test("the newest are kept, in order; nothing is lost, no rule asks for more, and a second time changes nothing", () => {
	fc.assert(
		fc.property(snapshots, (before) => {
			const { after, entries } = done(before);
			const history = after.recent_history;
			expect([...entries, ...history]).toEqual(before.recent_history);
			expect(history.length).toBeGreaterThanOrEqual(Math.min(RULES.kept, before.recent_history.length));
			expect(history.length).toBeLessThanOrEqual(RULES.entries);
			expect(tokensOf(history) <= RULES.tokens || history.length <= RULES.kept).toBe(true);
			expect(done(after).after).toEqual(after);
		}),
	);
});
