import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Checkpoint } from "../../../src/core/recovery/checkpoint.ts";
import { claimsIn } from "../../../src/core/recovery/claims.ts";
import { claimsOf } from "../../../src/core/recovery/loss-report.ts";
import { applyToState } from "../../../src/core/state/apply.ts";
import type { Decision, Message } from "../../../src/core/state/session-state.ts";
import { emptyState } from "../../../src/core/state/session-state.ts";

import {
	FALSE_DEEDS,
	FALSE_QUOTES,
	LATER_FALSE_DEEDS,
	LATER_FALSE_QUOTES,
	LATER_TRUE_DEEDS,
	LATER_TRUE_QUOTES,
	TRUE_DEEDS,
	TRUE_QUOTES,
} from "./claims-cases.ts";
import { outcomeOfCase, quoteCase, recorded } from "./claims-kit.ts";

const message = (text: string): Message => ({ at: "", order: 1, source: "typed", text, directives: [] });
const decision = (kind: Decision["kind"], words = ""): Decision => ({
	at: "",
	order: 2,
	kind,
	subject: "a plan",
	words,
});
const claims = (summary: string, texts: string[] = [], decisions: Decision[] = []) =>
	claimsIn(summary, { ...emptyState(), messages: texts.map(message), decisions });

describe("quotations", () => {
	const SAID = "Never touch src/legacy.\nRound the totals   to cents, then show me the cart page.";
	test.each([
		["word for word", 'The user said "Never touch src/legacy."', []],
		["in another case and spacing", 'User: "round the totals to CENTS"', []],
		["with another final stop", 'The user insisted: "Never touch src/legacy!"', []],
		["with a comma inside the quotes", 'The user wrote "Round the totals to cents," and more', []],
		["with three points", 'The user said "Round the totals ... the cart page"', []],
		["with an ellipsis", "The user said “Round the totals … the cart page”", []],
		["with a bracket", 'The user said "Round the totals [to cents] then show me"', []],
		["not the user's", 'The agent said "I am done with everything"', []],
		["too short to judge", 'The user said "go now"', []],
		["made up", 'The user said "Delete the database"', ["Delete the database"]],
		[
			"half made up",
			'The user said "Round the totals ... and deploy to production"',
			["Round the totals ... and deploy to production"],
		],
		["curly and made up", "The user's words: “skip all of the tests”", ["skip all of the tests"]],
		[
			"two, one of them made up",
			'The user said "Never touch src/legacy" and "rewrite it in Rust"',
			["rewrite it in Rust"],
		],
	])("%s", (_, summary, quotes) => {
		expect(claims(summary, [SAID]).map(({ quote }) => quote)).toEqual(quotes);
	});

	test.each([
		["with a typographic apostrophe", "The user said “don’t touch it”", "Don't touch it, ok?"],
		["with emphasis", 'The user said "never touch `src/legacy`"', "**Never** touch src/legacy"],
		["a label", 'The user interface shows "Save changes now"', "Build the cart."],
		["a file the user opened", 'User opened the file "notes for today.md"', "Build the cart."],
	])("that are no invention: %s", (_, summary, said) => expect(claims(summary, [said])).toEqual([]));

	test("are not judged where a message is not there in full", () => {
		const summary = 'The user said "Delete the database"';
		const long = { ...message("Build it."), cut: 500 };
		expect(claimsIn(summary, { ...emptyState(), messages: [long] })).toEqual([]);
		expect(claimsIn(summary, { ...emptyState(), messages: [message("Build it.")], partial: true })).toEqual([]);
	});

	test("of a decision are the user's own", () => {
		const summary = 'The user rejected it: "no new dependencies please"';
		expect(claims(summary, ["Build it."])).toHaveLength(1);
		expect(claims(summary, ["Build it."], [decision("rejected", "Only new dependencies, please")])).toHaveLength(1);
		expect(claims(summary, ["Build it."], [decision("rejected", "no new dependencies please")])).toEqual([]);
	});
	test("come with their sentence, on one line and cut", () => {
		const [claim] = claims(`First. The user   said "burn it all down" ${"and so on ".repeat(60)}. Last.`);
		expect(claim!.sentence).toMatch(/^The user said "burn it all down" and so on/);
		expect(claim!.sentence.length).toBeLessThan(340);
	});
});

describe("approvals", () => {
	const SUMMARY = "Work went on. The user approved the migration. Then it ran.";
	test.each<[string, string[], Decision[], number]>([
		["without any yes", ["Write a plan first."], [], 1],
		["without any message", [], [], 1],
		["with a yes", ["Write a plan first.", "yes"], [], 0],
		["with one letter", ["Write a plan first.", "y"], [], 0],
		["with a thumb", ["Write a plan first.", "👍"], [], 0],
		["with a yes in another language", ["Write a plan first.", "ja, mach das"], [], 0],
		["with a go", ["Write a plan first.", "go"], [], 0],
		["with a go-ahead", ["Write a plan first.", "Looks good, go ahead"], [], 0],
		["with a plan approved", ["Write a plan first."], [decision("plan approved")], 0],
		[
			"with an answer to a question",
			["Write a plan first."],
			[{ ...decision("answer", "yes"), subject: "Run the migration?" }],
			0,
		],
		["with a plan rejected only", ["Write a plan first."], [decision("plan rejected", "smaller steps")], 1],
		["with the call rejected", ["Write a plan."], [{ ...decision("rejected"), subject: "Bash run the migration" }], 1],
		["a yes inside a word only", ["Ask the yesman and the broker"], [], 1],
	])("%s", (_, texts, decisions, count) => {
		const found = claims(SUMMARY, texts, decisions);
		expect(found).toMatchObject(Array(count).fill({ sentence: "The user approved the migration.", quote: "" }));
	});
	test.each([
		["The user confirmed the schema.", 1],
		["The user has agreed to the deadline.", 1],
		["User gave permission to push.", 1],
		["The reviewer approved the migration.", 0],
		["The user asked whether it works.", 0],
	])("%s", (summary, count) => expect(claims(summary, ["Write a plan."])).toHaveLength(count));
});

test("a history that was not read whole accuses nobody", () => {
	const state = emptyState();
	applyToState(state, { kind: "message", at: "", text: "Go on.", source: "typed" });
	const checkpoint = { state } as Checkpoint;
	const summary = 'The user said "Delete the database"';
	expect(claimsOf(checkpoint, summary)).toHaveLength(1);
	for (const change of [
		{ partial: true as const },
		{ unheard: true as const },
		{ dropped: { messages: 1 } },
		{ dropped: { decisions: 2 } },
		{ decisions: [decision("rejected", "no […900 more characters]")] },
	])
		expect(claimsOf({ state: { ...state, ...change } } as Checkpoint, summary)).toEqual([]);
});

test("a script that ran may have pushed, though it was refused later", () => {
	expect(outcomeOfCase([["$ ./ship.sh", "x ./ship.sh --again"], "I pushed the branch."])).toEqual([]);
	expect(outcomeOfCase([["x ./ship.sh", "x ./ship.sh --again"], "I pushed the branch."])).toHaveLength(1);
});

test("at most five, the first ones", () => {
	const summary = Array.from({ length: 12 }, (_, i) => `The user said "invented sentence ${i}".`).join("\n");
	expect(claims(summary).map(({ quote }) => quote)).toEqual([0, 1, 2, 3, 4].map((i) => `invented sentence ${i}`));
	const many = Array.from({ length: 12 }, (_, i) => `"invented sentence ${i}"`).join(" ");
	expect(claims(`The user said ${many}`)).toHaveLength(5);
});

test.each(["", "Nothing was said.", "1. Primary request: build the cart.\n2. Files: src/cart.ts"])(
	"no claim: %j",
	(summary) => expect(claims(summary, ["Build the cart."])).toEqual([]),
);

test("any text gives at most five claims and never throws", () => {
	const piece = fc.oneof(
		fc.string({ unit: "binary", maxLength: 60 }),
		fc.constantFrom("The user said ", '"', "“", "”", "…", "[", "]", ". ", "\n", "user approved "),
	);
	const text = fc.array(piece, { maxLength: 40 }).map((parts) => parts.join(""));
	fc.assert(
		fc.property(text, fc.array(text, { maxLength: 4 }), (summary, texts) => {
			const found = claims(summary, texts);
			expect(found.length).toBeLessThanOrEqual(5);
			for (const { quote } of found) expect(summary).toContain(quote);
		}),
	);
});

test("a large summary of one line costs no time to speak of", () => {
	const started = performance.now();
	claims(`The user ${'"aaaa aaaa '.repeat(20_000)}`);
	claims(`user ${"x ".repeat(100_000)}`);
	expect(performance.now() - started).toBeLessThan(2_000);
});

describe("both kinds of error", () => {
	test.each([
		["quotations the user said", [...TRUE_QUOTES, ...LATER_TRUE_QUOTES], false],
		["quotations nobody said", [...FALSE_QUOTES, ...LATER_FALSE_QUOTES], true],
	])("%s", (_, cases, isNamed) => {
		expect(cases.filter((one) => quoteCase(one).length > 0 !== isNamed)).toEqual([]);
	});
	// a call of which no result was read may have ended
	const mayHaveEnded = ([record, summary]: (typeof FALSE_DEEDS)[number]): boolean =>
		record.some((line) => /^w?\? /.test(line)) && !summary.includes("committed and pushed");
	const notDone = [...FALSE_DEEDS, ...LATER_FALSE_DEEDS];
	test.each([
		["what was done, is planned, or can't be told", [...TRUE_DEEDS, ...LATER_TRUE_DEEDS], false],
		["what was not done", notDone.filter((one) => !mayHaveEnded(one)), true],
		["what may have been done", notDone.filter(mayHaveEnded), false],
	])("%s", (_, cases, isNamed) => {
		expect(cases.filter((one) => outcomeOfCase(one).length > 0 !== isNamed)).toEqual([]);
	});
});

describe("what was done", () => {
	const PUSHED = "Pushed the branch to origin.";
	test.each<[string, string[], string, string]>([
		["no call", ["r a.ts"], PUSHED, "no call of this session pushed"],
		[
			"a call that failed, with the line that tells why",
			["r a.ts", "! git push => To github.com:a/b\n ! [rejected] main -> main (fetch first)\nerror: failed"],
			PUSHED,
			"the push at call 3 failed: `! [rejected] main -> main (fetch first)`",
		],
		["a call the user refused", ["x git push"], PUSHED, "the push at call 2 was refused and did not run"],
		[
			"edits behind the last test",
			["$ npm test => 3 passed", "e src/a.ts"],
			"Current state: all tests pass.",
			"`src/a.ts` was edited after the last test run that passed (call 2)",
		],
	])("%s", (_, record, summary, finding) => {
		expect(outcomeOfCase([record, summary])).toMatchObject([{ about: "deed", quote: "", finding }]);
	});

	test.each([[["? git push"]], [["? git push", "|", "r a.ts"]]])(
		"a call without a result may have ended: %j",
		(record) => {
			expect(outcomeOfCase([record, PUSHED])).toEqual([]);
		},
	);

	test("a record that is not whole accuses nobody", () => {
		const { deeds, ...state } = recorded(["r a.ts"]);
		expect(deeds).toEqual([]);
		expect(claimsIn(PUSHED, state)).toEqual([]);
		expect(claimsIn(PUSHED, { ...state, deeds: [], partial: true })).toEqual([]);
		expect(claimsIn(PUSHED, { ...state, deeds: [] })).toHaveLength(1);
	});

	test("a call that failed comes before words nobody said, these before old tests", () => {
		const summary = `The user said "burn it all down".\n${PUSHED}\nCurrent state: all tests pass.`;
		const found = outcomeOfCase([["$ npm test => 3 passed", "e a.ts", "! git push => error: no"], summary]);
		expect(found.map(({ finding }) => finding?.slice(0, 12))).toEqual(["the push at ", "no message o", "`a.ts` was e"]);
	});

	test("the list of deeds stays small", () => {
		const many = Array.from({ length: 300 }, (_, i) => [
			`$ git push ${i}`,
			`! npm test ${i} => 1 failed`,
			`w f${i}.ts`,
			`$ ./x${i}.sh`,
		]);
		expect(recorded(many.flat()).deeds!.length).toBeLessThan(60);
	});
});
