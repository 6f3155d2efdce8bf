import { join } from "node:path";
import { expect, test } from "vitest";
import { auditCompaction, type Fate, type LossReport } from "../../../src/core/audit/audit.ts";
import { lossLine, lossVerdict } from "../../../src/core/audit/verdict.ts";
import { recoveryBlock } from "../../../src/core/block/recovery-block.ts";
import { corpus } from "../../kit/corpus.ts";
import { message, stateOf } from "../../kit/session-events.ts";
import { checkpoint, input } from "../block/kit.ts";

const [NAMES, SUMMARIES, REPORTS] = Object.values(corpus(join(import.meta.dirname, "audit.txt")));
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
	auditCompaction(checkpoint(stateOf(message(said))), summary, NO_BLOCK).missing;

test.each(SUMMARIES!)("each message once, and no shell line: %s", (row) => {
	const [, summary, fates] = /^[^:]*: (.*) => (.*)$/.exec(row)!;
	const { messages, missing } = auditCompaction(checkpoint(STATE), JSON.parse(summary!), BLOCK);
	expect(messages.map(({ fate }) => fate).join(" ")).toBe(fates!);
	expect(missing).toEqual([]);
});

test("what stands nowhere is in neither", () => {
	const { messages } = auditCompaction(checkpoint(STATE), "", NO_BLOCK);
	expect(new Set(messages.map(({ fate }) => fate))).toEqual(new Set(["neither"]));
});

test.each(NAMES!)("numbers, names and paths that stand nowhere are told: %s", (row) => {
	const [given, names] = row.split(" => ");
	const [said, summary] = given!.split(" | ");
	expect(missingOf(said!, summary)).toEqual(names!.split(" "));
});

test("forty of them at most", () => {
	expect(missingOf(Array.from({ length: 90 }, (_, n) => `id_${n}`).join(" "))).toHaveLength(40);
});

test("tables of numbers, messages of letters alone, and a summary made to be slow, take no time", () => {
	const rows = (seed: number): string =>
		Array.from({ length: 900 }, (_, n) => (seed * 7919 + n * 104_729) % 99_991).join(" ");
	const tables = stateOf(...Array.from({ length: 40 }, (_, n) => message(`a table: ${rows(n)}`)));
	const letters = stateOf(...[..."abcdefgh"].map((one) => message(one.repeat(5_900))), message("use a.b"));
	const started = process.cpuUsage();
	const summary = Array.from({ length: 30 }, (_, n) => rows(n + 500)).join("0");
	expect(auditCompaction(checkpoint(tables), summary, NO_BLOCK).missing.length).toBeLessThanOrEqual(40);
	auditCompaction(checkpoint(letters), "xa.bx".repeat(40_000), NO_BLOCK);
	expect(process.cpuUsage(started).user / 1_000).toBeLessThan(2_400);
});

/** A report of so many messages of each fate; without a summary where there is none. */
function judged(counts: Partial<Record<Fate, number>> | null): LossReport {
	const fates = Object.entries(counts ?? { neither: 5 }).flatMap(([fate, n]) => Array<Fate>(n).fill(fate as Fate));
	const messages = fates.map((fate) => ({ text: "", at: "", fate }));
	return { ...auditCompaction(checkpoint(STATE), counts && "x", BLOCK), messages };
}

test.each(REPORTS!)("in words: %s", (row) => {
	const [counts, sentence] = row.split(" => ") as [string, string];
	const reports = JSON.parse(counts).map(judged);
	expect(lossVerdict(reports)).toBe(sentence);
	if (reports.length > 1) return;
	const line = `ccg: ${sentence.replace("The", "the").replace("the user's", "your").replace(/\.$/, "")}. More: ! ccg show`;
	const isTold = / gave back /.test(sentence);
	expect(lossLine(reports[0], "! ccg show")).toBe(isTold ? line : null);
});
