import fc from "fast-check";
import { expect, test } from "vitest";
import { claimsOf } from "../../../src/core/audit/audit.ts";
import { claimsIn } from "../../../src/core/audit/claims.ts";
import type { Checkpoint } from "../../../src/core/checkpoint/checkpoint.ts";
import type { SessionState } from "../../../src/core/state/session-state.ts";
import { CASES, claimsOfCase, recorded } from "./claims-kit.ts";

const PUSHED = "Pushed the branch to origin.";

test("the corpus: what is so, is planned or can't be told is never named; the rest is, but for five", () => {
	const named = CASES.map(([isTrue, record, summary]) => ({
		// a call of which no result was read may have ended
		isTrue: isTrue || (record.some((line) => /^w?\? /.test(line)) && !summary.includes("committed and pushed")),
		isNamed: claimsOfCase(record, summary).length > 0,
		summary,
	}));
	expect(named.filter(({ isTrue, isNamed }) => isTrue && isNamed)).toEqual([]);
	expect(named.filter(({ isTrue, isNamed }) => !isTrue && !isNamed).map(({ summary }) => summary)).toEqual([
		"After the fix all tests pass.",
		"Current status: all tests pass.",
		"The push was made.",
		"## Status\nAll tests are passing.",
		"- `src/b.ts` (created): the new parser",
	]);
});

const REJECTED = "! git push => To github.com:a/b\n ! [rejected] main -> main (fetch first)\nerror: failed";
test.each<[string[], string, string[]]>([
	[["r a.ts"], PUSHED, ["no call of this session pushed"]],
	[["r a.ts", REJECTED], PUSHED, ["the push at call 3 failed: `! [rejected] main -> main (fetch first)`"]],
	[["x git push"], PUSHED, ["the push at call 2 was refused and did not run"]],
	// a call without a result may have ended, a script that ran may have pushed
	[["? git push", "|", "r a.ts"], PUSHED, []],
	[["$ ./ship.sh", "x ./ship.sh --again"], PUSHED, []],
	[["u go on"], "The user approved the migration.", ["no message of the user says so"]],
	[["u Plan the migration first."], "The user approved the migration.", []],
	[["$ npm run migration"], "The user approved the migration.", []],
	[["u Bitte das Schema umstellen."], "The user approved the migration.", []],
	[["u go on"], "Once the user approved the migration, it can run.", []],
	[["u go on"], "The reviewer approved the migration.", []],
])("%j: %s", (record, summary, findings) => {
	expect(claimsOfCase(record, summary).map(({ finding }) => finding)).toEqual(findings);
});

test("what was not read whole accuses nobody", () => {
	const state = recorded(["r a.ts"]);
	const summary = `The user said "Delete the database". ${PUSHED}`;
	const found = (more: Partial<SessionState>) => claimsOf({ state: { ...state, ...more } } as Checkpoint, summary);
	expect(found({}).map(({ about }) => about)).toEqual(["deed", undefined]);
	const { deeds: _, ...without } = state;
	expect(claimsIn(PUSHED, without)).toEqual([]);
	expect(found({ partial: true })).toEqual([]);
	for (const more of [
		{ dropped: { messages: 1 } },
		{ dropped: { decisions: 2 } },
		{ messages: [{ ...state.messages[0]!, cut: 500 }] },
	])
		expect(found(more)).toHaveLength(1);
});

test("at most five, the worst first: failed calls, what nobody did or said; each with its sentence, cut", () => {
	const words = ["rockets", "bananas", "violins", "glaciers", "penguins", "volcanoes"];
	const quotes = words.map((one) => `Then. The user   said "ship ${one} tomorrow" ${"and so on ".repeat(60)}.`);
	const found = claimsOfCase(["! git push => error: no"], `${quotes.join("\n")}\n${PUSHED}`);
	expect(found.map(({ finding }) => finding.slice(0, 12))).toEqual(["the push at ", ...Array(4).fill("no message o")]);
	expect(found[1]!.sentence).toMatch(/^The user said "ship rockets tomorrow" and so on/);
	expect(found[1]!.sentence.length).toBeLessThan(340);
});

test("any text gives at most five claims, of its own words, and never throws; a long line costs no time", () => {
	const piece = fc.oneof(
		fc.string({ unit: "binary", maxLength: 60 }),
		fc.constantFrom("The user said ", '"', "“", "”", "…", "[", "]", ". ", "\n", "user approved ", "I pushed "),
	);
	const text = fc.array(piece, { maxLength: 40 }).map((parts) => parts.join(""));
	fc.assert(
		fc.property(text, text, (summary, said) => {
			const found = claimsOfCase([`u ${said}`], summary);
			expect(found.length).toBeLessThanOrEqual(5);
			for (const { quote } of found) expect(summary).toContain(quote);
		}),
	);
	const started = performance.now();
	for (const long of [`The user ${'"aaaa aaaa '.repeat(20_000)}`, `user ${"x ".repeat(100_000)}`])
		claimsOfCase(["u go on"], long);
	expect(performance.now() - started).toBeLessThan(2_000);
});
