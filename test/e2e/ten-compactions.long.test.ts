import { afterEach, expect, test } from "vitest";
import { bash, type ClaudeSandbox, claudeSandbox, logged } from "./claude-sandbox.ts";
import type { Reply } from "./loopback-api.ts";

let made: ClaudeSandbox;
afterEach(() => made?.close());

const COMPACTIONS = 10;
const LOG = Array.from(
	{ length: 60 },
	(_, n) => `The nightly run took ${n} minutes, and its graph shows the same shape.`,
);
/** Rules of the first segment: of a short message, two of them abroad, and of a long one. */
const RULES = [
	["Never touch the file legacy.c.", "Every endpoint needs a test with a broken token."],
	["Finger weg von der Tabelle ledger_2019.", "提交之前必须先跑测试。"],
	["Amounts are whole cents, never floats.", "Ask me before you delete anything below data/."],
];
const TAKEN_BACK = "Always print the SQL statements of the export.";

/** So many compactions in one turn (after three Claude Code compacts no more), each with a call before and behind it. */
const turn = (compactions: number): Reply[] => [
	...Array.from({ length: compactions }, (_, n): Reply[] => [
		{ tools: [bash(`echo full ${n}`)], tokens: 90_000 },
		{ tools: [bash(`echo on ${n}`)], tokens: 9_000 },
	]).flat(),
	{ text: "Done so far.", tokens: 9_500 },
];

test("ten compactions whose summaries keep nothing: every rule of the first segment is in the model's context after each", async () => {
	let replies: Reply[] = [];
	made = claudeSandbox(({ kind }) =>
		kind === "summary"
			? { text: "<summary>Work went on.</summary>", tokens: 5_000 }
			: (replies.shift() ?? { text: "ok", tokens: 9_000 }),
	);
	const prompts: [string, Reply[]][] = [
		[`${[...RULES[0]!, ...RULES[1]!].join(" ")} ${TAKEN_BACK} Build the exporter.`, turn(0)],
		[[LOG.slice(0, 20), RULES[2]!, LOG.slice(20), "Find out why."].flat().join(" "), turn(3)],
		["Stop printing the SQL statements of the export. Go on with the importer.", turn(3)],
		["And the mails?", turn(3)],
		["ok", turn(1)],
	];
	let sid = "";
	for (const [prompt, played] of prompts) {
		replies = played;
		sid = (await made.claude(prompt, ...(sid ? ["--resume", sid] : []))).session_id;
	}
	const at = made.api.requests.flatMap(({ kind }, i) => (kind === "summary" ? [i] : []));
	expect(at).toHaveLength(COMPACTIONS);
	const contexts = at.map((from, i) =>
		made.api.requests
			.slice(from + 1, at[i + 1])
			.filter(({ kind }) => kind === "main")
			.map(({ all }) => all),
	);
	const missing = contexts.map((after) => RULES.flat().filter((rule) => !after.some((text) => text.includes(rule))));
	expect(missing).toEqual(at.map(() => []));
	// what was taken back stands before what took it back
	for (const after of contexts.slice(6)) expect(after[0]).toMatch(new RegExp(`${TAKEN_BACK}[^]*Stop printing the SQL`));

	const sizes = (JSON.parse(made.ccg("report", "--session", sid, "--json")) as { injected_chars: Sizes }[])
		.map(({ injected_chars: { block, follow_up } }) => [block, follow_up])
		.reverse();
	console.log(`characters of both parts, by compaction: ${sizes.map((both) => both.join(" + ")).join(", ")}`);
	expect(sizes).toHaveLength(COMPACTIONS);
	expect(Math.max(...sizes.flat())).toBeLessThanOrEqual(9_500);
	expect(logged(made)).toBe("");
});

interface Sizes {
	block: number;
	follow_up: number;
}
