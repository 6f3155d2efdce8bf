import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compact, tokensOf } from "../../../src/core/context/compact.ts";
import { type CompactionRules, DOCUMENT_RULES } from "../../../src/core/context/compaction-rules.ts";
import { sessionContext } from "../../../src/core/context/project.ts";
import { emptySnapshot, type HistoryEntry, type SessionContext } from "../../../src/core/context/session-context.ts";
import { normalised } from "../../../src/core/text/text.ts";

const NOW = 1_780_000_000;
const HOUR = 3600;

const entry = (n: number, tokens = 100): HistoryEntry => ({
	timestamp: NOW - 10_000 + n,
	role: n % 3 === 0 ? "user" : n % 3 === 1 ? "assistant" : "tool",
	content: `entry ${n}`,
	token_count: tokens,
	id: `u${n}.0`,
	...(n % 3 === 2 && { tool: "Bash" }),
});
const withHistory = (count: number, tokens = 100): SessionContext => ({
	...sessionContext(emptySnapshot("s", NOW)),
	recent_history: Array.from({ length: count }, (_, n) => entry(n, tokens)),
});
const kept = (count: number, tokens = 100, rules: CompactionRules = DOCUMENT_RULES): number =>
	compact(withHistory(count, tokens), rules, NOW).context.recent_history.length;

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

	test("half, where the newest 30 leave room for it", () => {
		// 10 small ones are kept anyway: half of 50 is 25
		expect(kept(50, 3_000, { ...DOCUMENT_RULES, keepEntries: 10 })).toBe(25);
	});

	test("completed tasks go after 24 hours, failed and running ones stay", () => {
		const task = (id: string, status: "Completed" | "Failed" | "Running", hours: number) => ({
			id,
			description: id,
			status,
			progress: 1,
			created_at: 0,
			updated_at: NOW - hours * HOUR,
		});
		const context = {
			...sessionContext(emptySnapshot("s", NOW)),
			active_tasks: [
				task("old", "Completed", 24),
				task("new", "Completed", 23),
				task("failed", "Failed", 99),
				task("going", "Running", 99),
			],
		};
		const { context: after, droppedTasks } = compact(context, DOCUMENT_RULES, NOW);
		expect(after.active_tasks.map(({ id }) => id)).toEqual(["new", "failed", "going"]);
		expect(droppedTasks).toEqual(["old"]);
	});
});

test("the summary says what was summarised, from when to when, and where it is in the event log", () => {
	const { context } = compact(withHistory(51), DOCUMENT_RULES, NOW);
	expect(context.long_term_summary).toContain("Summarised 20 entries, 2026-05-28T17:40:00Z to 2026-05-28T17:40:19Z");
	expect(context.long_term_summary).toContain("7 of the user, 7 of the assistant, 6 of tools; about 2,000 tokens");
	expect(context.long_term_summary).toContain("from u0.0 to u19.0");
	expect(context.long_term_summary).toContain("Tools: Bash 6.");
	expect(context.summarised).toMatchObject({ rounds: 1, entries: 20, tokens: 2_000, left_out: null });
});

test("the summary is bounded; what is left out of it is counted", () => {
	let context = sessionContext(emptySnapshot("s", NOW));
	for (let n = 0; n < 40; n++) {
		const history = Array.from({ length: 51 }, (_, i) => entry(n * 51 + i));
		context = compact({ ...context, recent_history: history }, DOCUMENT_RULES, NOW).context;
		expect(context.long_term_summary.length).toBeLessThanOrEqual(DOCUMENT_RULES.summaryChars);
	}
	const shown = context.long_term_summary.match(/^Summarised 20 entries/gm)!.length;
	expect(context.summarised.left_out).toMatchObject({ rounds: 40 - shown, entries: (40 - shown) * 20 });
	expect(context.long_term_summary).toMatch(
		/^\[\d+ earlier summaries of \d+ entries, .* left out here; the event log holds them\]/,
	);
	expect(context.summarised.entries).toBe(800);
});

/** Contexts as the compactor leaves them, and worse: any history, facts with doubles, tasks of every age. */
const contexts = fc
	.record({
		sizes: fc.array(fc.oneof(fc.nat(500), fc.nat(60_000)), { maxLength: 140 }),
		texts: fc.array(fc.string({ maxLength: 40 }), { maxLength: 5 }),
		facts: fc.array(fc.constantFrom("Use tabs", "use  TABS", "never push", "Never push", "a", "b", "c"), {
			maxLength: 30,
		}),
		tasks: fc.array(
			fc.record({ status: fc.constantFrom("Completed", "Running", "Failed", "Pending"), hours: fc.nat(60) }),
			{
				maxLength: 12,
			},
		),
		summary: fc.string({ maxLength: 3_000 }),
	})
	.map(
		({ sizes, texts, facts, tasks, summary }): SessionContext => ({
			...sessionContext(emptySnapshot("s", NOW)),
			recent_history: sizes.map((tokens, n) => ({ ...entry(n, tokens), content: texts[n % 5] ?? "" })),
			facts,
			long_term_summary: summary,
			active_tasks: tasks.map(({ status, hours }, n) => ({
				id: String(n),
				description: "x",
				status: status as "Completed",
				progress: 0,
				created_at: 0,
				updated_at: NOW - hours * HOUR,
			})),
		}),
	);
const anyRules = fc.record({
	historyEntries: fc.nat(80),
	summariseEntries: fc.nat(40),
	maxTokens: fc.nat(200_000),
	keepEntries: fc.nat(60),
	finishedTaskHours: fc.nat(48),
	summaryChars: fc.nat(10_000),
	maxFacts: fc.nat(20),
});
const rules = fc.oneof(fc.constant(DOCUMENT_RULES), anyRules);

describe("properties", () => {
	test("the newest are kept, in order, and nothing is lost between summary and history", () => {
		fc.assert(
			fc.property(contexts, rules, (context, given) => {
				const { context: after, entries } = compact(context, given, NOW);
				expect([...entries, ...after.recent_history]).toEqual(context.recent_history);
				expect(after.recent_history.length).toBeGreaterThanOrEqual(
					Math.min(given.keepEntries, context.recent_history.length),
				);
			}),
		);
	});

	test("afterwards no rule asks for more, except for the newest", () => {
		fc.assert(
			fc.property(contexts, rules, (context, given) => {
				const { recent_history: history } = compact(context, given, NOW).context;
				expect(history.length).toBeLessThanOrEqual(Math.max(given.historyEntries, given.keepEntries));
				expect(tokensOf(history) <= given.maxTokens || history.length <= given.keepEntries).toBe(true);
			}),
		);
	});

	test("facts are a set, in the order learned", () => {
		fc.assert(
			fc.property(contexts, (context) => {
				const { facts } = compact(context, DOCUMENT_RULES, NOW).context;
				const keys = facts.map(normalised);
				expect(new Set(keys).size).toBe(keys.length);
				expect(new Set(keys)).toEqual(new Set(context.facts.map(normalised)));
				const places = facts.map((fact) => context.facts.indexOf(fact));
				expect(places).toEqual(places.toSorted((a, b) => a - b));
			}),
		);
	});

	test("a second time changes nothing", () => {
		fc.assert(
			fc.property(contexts, rules, (context, given) => {
				const once = compact(context, given, NOW).context;
				const twice = compact(once, given, NOW);
				expect(twice.context).toEqual(once);
				expect(twice.compacted).toBe(false);
			}),
		);
	});

	test("the same context gives the same bytes, and the one given is not touched", () => {
		fc.assert(
			fc.property(contexts, rules, (context, given) => {
				const before = JSON.stringify(context);
				expect(JSON.stringify(compact(context, given, NOW))).toBe(JSON.stringify(compact(context, given, NOW)));
				expect(JSON.stringify(context)).toBe(before);
			}),
		);
	});

	test("numbers that make no sense are survived", () => {
		const odd = fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY, -5, 0.5, 0);
		fc.assert(
			fc.property(contexts, fc.array(odd, { minLength: 7, maxLength: 7 }), (context, [a, b, c, d, e, f, g]) => {
				const given = {
					historyEntries: a!,
					summariseEntries: b!,
					maxTokens: c!,
					keepEntries: d!,
					finishedTaskHours: e!,
					summaryChars: f!,
					maxFacts: g!,
				};
				expect(() => compact(context, given, NOW)).not.toThrow();
			}),
		);
	});
});
