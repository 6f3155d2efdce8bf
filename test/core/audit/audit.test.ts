import { expect, test } from "vitest";
import { audit, type Fate, type LossReport } from "../../../src/core/audit/audit.ts";
import { lossLine, lossVerdict } from "../../../src/core/audit/verdict.ts";
import { recoveryBlock } from "../../../src/core/block/recovery-block.ts";
import { message, stateOf } from "../../kit/session-events.ts";
import { checkpoint, input } from "../block/kit.ts";

const LONG = `Move the parser to src/lex.ts on port 4400. ${"It was slow in March. ".repeat(160)}Never use sed.`;
const SAID = [
	"Never touch src/legacy.",
	LONG,
	"Use pnpm only.",
	"use pnpm only",
	"Now the mails, all of them, please.",
];
const STATE = stateOf(
	SAID.map((one) => message(one)),
	message("! ls", "command"),
);
const BLOCK = recoveryBlock(input(STATE));
const NO_BLOCK = { text: "", messages: new Map() };
/** What of a message stands neither in the summary nor in a block. */
const missingOf = (said: string, summary = ""): string[] =>
	audit(checkpoint(stateOf(message(said))), summary, NO_BLOCK).missing;

test.each([
	["word for word, whatever its white space and case", "- never\n  touch SRC/legacy.", "summary part whole whole"],
	["in other words", "src/legacy is not to be touched", "whole part whole whole"],
	["as a part of longer words", '"reuse pnpm onlyish" and "use pnpm only"', "whole part summary whole"],
	["without a summary", null, "whole part whole whole"],
])("each message once, and no shell line: %s", (_, summary, fates) => {
	const { messages, missing } = audit(checkpoint(STATE), summary, BLOCK);
	expect(messages.map(({ fate }) => fate).join(" ")).toBe(fates);
	expect(missing).toEqual([]);
});

test("what stands nowhere is in neither", () => {
	const { messages } = audit(checkpoint(STATE), "", NO_BLOCK);
	expect(new Set(messages.map(({ fate }) => fate))).toEqual(new Set(["neither"]));
});

test("numbers, names and paths that stand nowhere are told once; a longer word is another", () => {
	const said = "Port 4400, not 9; see src/lex.ts:12 and ~/a.b, user_id, v2.1.330, parseAll, 14:03. Then x-2 and/or e.";
	const names = "4400 src/lex.ts 12 ~/a.b user_id v2.1.330 parseAll 14:03 x-2 and/or";
	expect(missingOf(said, "port 9000 44001 src/lex.tsx")).toEqual(names.split(" "));
	expect(missingOf(Array.from({ length: 90 }, (_, n) => `id_${n}`).join(" "))).toHaveLength(40);
});

test("what names nothing is not told; an address is one name", () => {
	const said = "e.g. do a/b testing, i.e. in the U.S. See https://x.example/a?b=1,2 and 1,000 rows: 1,37,1.0";
	expect(missingOf(said)).toEqual(["https://x.example/a?b=1,2", "1,000", "37"]);
});

test("tables of numbers, messages of letters alone, and a summary made to be slow, take no time", () => {
	const rows = (seed: number): string =>
		Array.from({ length: 900 }, (_, n) => (seed * 7919 + n * 104_729) % 99_991).join(" ");
	const tables = stateOf(...Array.from({ length: 40 }, (_, n) => message(`a table: ${rows(n)}`)));
	const letters = stateOf(...[..."abcdefgh"].map((one) => message(one.repeat(5_900))), message("use a.b"));
	const started = process.cpuUsage();
	const summary = Array.from({ length: 30 }, (_, n) => rows(n + 500)).join("0");
	expect(audit(checkpoint(tables), summary, NO_BLOCK).missing.length).toBeLessThanOrEqual(40);
	audit(checkpoint(letters), "xa.bx".repeat(40_000), NO_BLOCK);
	expect(process.cpuUsage(started).user / 1_000).toBeLessThan(2_400);
});

const judged = (counts: Partial<Record<Fate, number>>, summaryChars: number | null = 100) => {
	const fates = Object.entries(counts).flatMap(([fate, n]) => Array<Fate>(n).fill(fate as Fate));
	return { summaryChars, messages: fates.map((fate) => ({ text: "", at: "", fate })) };
};
test.each<[Pick<LossReport, "messages" | "summaryChars">, string, boolean]>([
	[
		judged({ summary: 4, whole: 6, part: 2 }),
		"The summary holds 4 of the user's 12 messages word for word; the block gave back 6 whole and 2 in part.",
		true,
	],
	[
		judged({ part: 1, neither: 1 }),
		"The summary holds 0 of the user's 2 messages word for word; the block gave back 1 in part; 1 is in neither.",
		true,
	],
	[judged({ summary: 1 }), "The summary holds 1 of the user's 1 message word for word.", false],
	[judged({ neither: 7 }, null), "No summary was seen, so nothing could be compared.", false],
])("in words: %#", (report, sentence, isTold) => {
	expect(lossVerdict([report])).toBe(sentence);
	const line = `ccg: ${sentence.replace("The", "the").replace("the user's", "your").replace(/\.$/, "")}. More: ! ccg show`;
	expect(lossLine(report, "! ccg show")).toBe(isTold ? line : null);
});

test("of several, what no summary was seen of counts in no number", () => {
	const reports = [judged({ summary: 2, whole: 1 }), judged({ summary: 2, whole: 2 }), judged({ neither: 5 }, null)];
	expect(lossVerdict(reports)).toBe(
		"The summary holds 4 of the user's 7 messages word for word; the block gave back 3 whole; of 1 compaction no summary was seen.",
	);
});
