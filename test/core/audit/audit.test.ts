import { describe, expect, test } from "vitest";
import { audit, claimsOf, withFollowUp } from "../../../src/core/audit/audit.ts";
import { lossLine, verdict } from "../../../src/core/audit/verdict.ts";
import { itemId } from "../../../src/core/block/lost.ts";
import { sectionsOf } from "../../../src/core/block/sections.ts";
import { situationOf } from "../../../src/core/block/situation.ts";
import type { Checkpoint } from "../../../src/core/checkpoint/checkpoint.ts";
import { message, stateOf } from "../../kit/session-events.ts";

const checkpoint = (...texts: string[]): Checkpoint => ({
	version: 1,
	key: "precompact_checkpoint_20261121_020000",
	at: "2026-11-21T02:00:00.000Z",
	session: "s-1",
	trigger: "auto",
	projectDir: "/p",
	transcriptPath: "/t.jsonl",
	state: { ...stateOf(...texts.map((text) => message(text))), tokens: 165_000 },
	workspace: null,
});

const ids = (one: Checkpoint, kind: string): string[] =>
	sectionsOf("block", situationOf(one))
		.filter((section) => section.kind === kind)
		.flatMap(({ items }) => items.map((item) => itemId(kind, item)));

const made = (one: Checkpoint, summary: string | null, given: string[] = [], reloaded = "", later: string[] = []) => {
	const all = { ids: new Set(given), later: new Set(later), chars: { block: 700, followUp: 50 } };
	return audit(one, summary, all, summary === null ? [] : claimsOf(one, summary), reloaded);
};

const THREE = checkpoint(
	"Never touch src/legacy.",
	"Always render invoices through ledger modules before accounting exports.",
	"Use pnpm only.",
	"Now the mails.",
);
const SUMMARY =
	"Never touch src/legacy. Before accounting exports, invoices always render through ledger modules. " +
	"The user said 'now the mails.' The user also said \"deploy it to production\".";
const DIRECTIVES = ids(THREE, "directive");

test("a report: kept, reworded and back, each once, with the lines; what was claimed; its line for the daily log", () => {
	const report = made(THREE, SUMMARY, DIRECTIVES.slice(-1));
	expect(report).toMatchObject({ tokensBefore: 165_000, claims: [{ quote: "deploy it to production" }] });
	expect(report.kinds).toEqual({
		message: {
			...{ total: 4, verbatim: 2, reworded: 1, back: 1, later: 0, lost: 0 },
			lines: [
				{ text: expect.stringContaining("render invoices"), fate: "reworded" },
				{ text: '- "Use pnpm only."', fate: "back" },
			],
		},
	});
	expect(verdict([report])).toBe(
		"The summary kept 3 of 4 things the user said; 1 is back; 1 claim about you has no source.",
	);
});

test.each<[string, ReturnType<typeof made>, object]>([
	["no summary seen", made(THREE, null), { lost: 4, back: 0 }],
	["what it kept is not back", made(THREE, SUMMARY, [...DIRECTIVES, ...ids(THREE, "request")]), { back: 1 }],
	["read again by itself", made(THREE, SUMMARY, [], "# rules\n- use pnpm only."), { back: 1, lost: 0 }],
	["to come", made(THREE, SUMMARY, [], "", DIRECTIVES), { later: 1, back: 0 }],
	["come", withFollowUp(made(THREE, SUMMARY, [], "", DIRECTIVES)), { later: 0, back: 1 }],
])("%s", (_, { kinds }, counts) => expect(kinds.message).toMatchObject(counts));

test("lists at most 60 lines of a kind and counts all", () => {
	const many = checkpoint(...Array.from({ length: 90 }, (_, i) => `Never rename column ${i}.`), "Go on.");
	const { total, lost, lines } = made(many, "A summary.").kinds.message!;
	expect([total, lost, lines.length]).toEqual([90, 90, 60]);
});

describe("in words", () => {
	/** What became of so many things the user said, beside a failure that does not count. */
	const loss = (total: number, back: number, later: number, lost: number, claims: ("user" | "deed")[] = []) => {
		const counts = { verbatim: total - back - later - lost, reworded: 0, lines: [] };
		return {
			kinds: {
				message: { ...counts, total, back, later, lost },
				failure: { ...counts, total: 9, back: 0, later: 0, lost: 9 },
			},
			claims: claims.map((about) => ({
				...{ sentence: "s", quote: "", finding: "f" },
				...(about === "deed" && { about }),
			})),
			summaryChars: 100 as number | null,
		};
	};
	test.each([
		[
			loss(7, 3, 0, 0, ["user"]),
			"The summary kept 4 of 7 things the user said; 3 are back; 1 claim about you has no source.",
			"the summary kept 4 of 7 things you said; 3 are back. 1 statement of the summary has no source.",
		],
		[
			loss(7, 0, 0, 0, ["user", "deed"]),
			"The summary kept 7 of 7 things the user said; 1 claim about you has no source; 1 thing it says was done is not in the record.",
			"the summary kept 7 of 7 things you said. 2 statements of the summary have no source.",
		],
		[
			loss(7, 1, 2, 1),
			"The summary kept 3 of 7 things the user said; 1 is back, 2 come with the next call, 1 is in the checkpoint alone.",
			"the summary kept 3 of 7 things you said; 3 are back, 1 is in the checkpoint alone.",
		],
		[loss(1, 0, 0, 0), "The summary kept 1 of 1 thing the user said.", null],
		[
			loss(0, 0, 0, 0, ["deed"]),
			"Nothing that the user said was there to compare; 1 thing it says was done is not in the record.",
			"1 statement of the summary has no source.",
		],
		[loss(0, 0, 0, 0), "Nothing that the user said was there to compare.", null],
		[{ ...loss(7, 0, 0, 7), summaryChars: null }, "No summary was seen, so nothing could be compared.", null],
	])("%#", (report, sentence, line) => {
		expect(verdict([report])).toBe(sentence);
		expect(lossLine(report, "ccg report")).toBe(line && `ccg: ${line} More: ccg report`);
	});
	test("several: what no summary was seen of counts in no number", () => {
		expect(verdict([loss(3, 1, 0, 0), loss(4, 2, 0, 0), { ...loss(5, 0, 0, 5), summaryChars: null }])).toBe(
			"The summary kept 4 of 7 things the user said; 3 are back; of 1 compaction no summary was seen.",
		);
	});
});
