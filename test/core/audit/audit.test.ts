import { describe, expect, test } from "vitest";
import { audit, type Fate, type LossReport } from "../../../src/core/audit/audit.ts";
import { lossLine, verdict } from "../../../src/core/audit/verdict.ts";
import { recoveryBlock } from "../../../src/core/block/recovery-block.ts";
import { message, stateOf } from "../../kit/session-events.ts";
import { checkpoint, input } from "../block/kit.ts";

const LONG = `Move the parser to src/lex.ts on port 4400. ${"It was slow in March. ".repeat(160)}Never use sed.`;
const STATE = {
	...stateOf(
		...["Never touch src/legacy.", LONG, "Use pnpm only.", "use pnpm only", "Now the mails, all of them, please."].map(
			(one) => message(one),
		),
		message("! ls", "command"),
	),
	tokens: 165_000,
};
const BLOCK = recoveryBlock(input(STATE));
const made = (summary: string | null, block = BLOCK): LossReport => audit(checkpoint(STATE), summary, block);
const fates = (report: LossReport): Fate[] => report.messages.map(({ fate }) => fate);

test.each<[string, LossReport, Fate[]]>([
	[
		"kept word for word, whatever its white space and case",
		made("- never\n  touch SRC/legacy."),
		["summary", ..."pww"],
	],
	["in other words", made("src/legacy is not to be touched"), [..."wpww"]],
	["as a part of longer words", made('"reuse pnpm onlyish" and "use pnpm only"'), [..."wp", "summary", "w"]],
	["in neither", made("", { text: "", messages: new Map() }), [..."nnnn"]],
	["without a summary", made(null), [..."wpww"]],
] as unknown as [string, LossReport, Fate[]][])("a message %s, each once, no shell line", (_, report, short) => {
	const called: Record<string, string> = { w: "whole", p: "part", n: "neither" };
	expect(fates(report)).toEqual(short.map((one) => called[one] ?? one));
});

test("numbers, names and paths that stand nowhere are told once; a longer word is another", () => {
	const said = "Port 4400, not 9; see src/lex.ts:12 and ~/a.b, user_id, v2.1.330, parseAll, 14:03. Then x-2 and/or e.";
	const report = audit(checkpoint(stateOf(message(said))), "port 9000 44001 src/lex.tsx", {
		text: "",
		messages: new Map(),
	});
	expect(report.missing).toEqual([
		"4400",
		"src/lex.ts",
		"12",
		"~/a.b",
		"user_id",
		"v2.1.330",
		"parseAll",
		"14:03",
		"x-2",
		"and/or",
	]);
	expect(made("").missing).toEqual([]);
	const many = stateOf(message(Array.from({ length: 90 }, (_, n) => `id_${n}`).join(" ")));
	expect(audit(checkpoint(many), "", { text: "", messages: new Map() }).missing).toHaveLength(40);
});

test("what names nothing is not told; an address is one name", () => {
	const said = "e.g. do a/b testing, i.e. in the U.S. See https://x.example/a?b=1,2 and 1,000 rows: 1,37,1.0";
	const { missing } = audit(checkpoint(stateOf(message(said))), "", { text: "", messages: new Map() });
	expect(missing).toEqual(["https://x.example/a?b=1,2", "1,000", "37"]);
});

test("tables of numbers beside a summary of numbers take no time", () => {
	const rows = (seed: number): string =>
		Array.from({ length: 900 }, (_, n) => (seed * 7919 + n * 104_729) % 99_991).join(" ");
	const state = stateOf(...Array.from({ length: 40 }, (_, n) => message(`a table: ${rows(n)}`)));
	const summary = Array.from({ length: 30 }, (_, n) => rows(n + 500)).join("0");
	const started = process.cpuUsage();
	const { missing } = audit(checkpoint(state), summary, { text: "", messages: new Map() });
	expect(missing.length).toBeLessThanOrEqual(40);
	expect(process.cpuUsage(started).user / 1_000).toBeLessThan(2_000);
});

test("a message of letters alone, and a summary made to be slow, take no time", () => {
	const state = stateOf(...[..."abcdefgh"].map((one) => message(one.repeat(5_900))), message("use a.b"));
	const started = process.cpuUsage();
	audit(checkpoint(state), "xa.bx".repeat(40_000), { text: "", messages: new Map() });
	expect(process.cpuUsage(started).user / 1_000).toBeLessThan(400);
});

describe("in words", () => {
	const of = (counts: Partial<Record<Fate, number>>, summaryChars: number | null = 100) => ({
		summaryChars,
		messages: Object.entries(counts).flatMap(([fate, n]) =>
			Array.from({ length: n }, () => ({ text: "", at: "", fate: fate as Fate })),
		),
	});
	test.each<[ReturnType<typeof of>, string, boolean]>([
		[
			of({ summary: 4, whole: 6, part: 2 }),
			"The summary holds 4 of the user's 12 messages word for word; the block gave back 6 whole and 2 in part.",
			true,
		],
		[of({ whole: 1 }), "The summary holds 0 of the user's 1 message word for word; the block gave back 1 whole.", true],
		[
			of({ part: 1, neither: 1 }),
			"The summary holds 0 of the user's 2 messages word for word; the block gave back 1 in part; 1 is in neither.",
			true,
		],
		[of({ summary: 2 }), "The summary holds 2 of the user's 2 messages word for word.", false],
		[of({}), "The summary holds 0 of the user's 0 messages word for word.", false],
		[of({ neither: 7 }, null), "No summary was seen, so nothing could be compared.", false],
	])("%#", (report, sentence, isTold) => {
		expect(verdict([report])).toBe(sentence);
		const line = `ccg: ${sentence.replace("The", "the").replace("the user's", "your").replace(/\.$/, "")}. More: ! ccg show`;
		expect(lossLine(report, "! ccg show")).toBe(isTold ? line : null);
	});
	test("several: what no summary was seen of counts in no number", () => {
		expect(verdict([of({ summary: 2, whole: 1 }), of({ summary: 2, whole: 2 }), of({ neither: 5 }, null)])).toBe(
			"The summary holds 4 of the user's 7 messages word for word; the block gave back 3 whole; of 1 compaction no summary was seen.",
		);
	});
});
