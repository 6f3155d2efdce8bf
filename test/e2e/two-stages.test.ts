import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { type Reply, SUMMARY } from "./loopback-api.ts";
import { bash, everything, type Stage, stage, times } from "./stage.ts";

let made: Stage;
afterEach(() => made?.close());

const AGENT = "Compare the row counts of both ledgers.";
const IN_CLAUDE_MD = "Keep commits small and signed.";

/** One planted fact of each kind, as the model must find it after each compaction. */
const FACTS = {
	directive: "Never rename the column amount_cents, whatever the linter says.",
	"directive taken back":
		'(of this, "Always print the SQL you run." was taken back later: "Stop printing the SQL you run.")',
	message: "what does the nightly job do?",
	request: "Finish the export and tell me the row count.",
	"task in work": "[in_progress] Export to Parquet",
	"task cancelled": "[cancelled] Write a manual",
	"task done, with evidence": "[done] Read the schema (`commit ",
	"commit made": "Add the exporter",
	"test that worked": "test worked: `PATH=.:$PATH vitest run` — `Tests 14 passed (14)`",
	"failure not resolved": "no such table: ledger_2019",
	"open question": "Should I also drop the archive tables?",
	assumption: "I'm assuming the amounts are whole cents.",
	"background shell": "sleep 12 && echo exported",
	"background agent": "Compare the ledgers",
	"server with its port": "port 8137",
	schedule: "poll the export",
	"file changed, with its symbols": "exporter.ts (1: reconcileLedgerBatch)",
	"file written": "notes.md",
	search: "Grep amount_cents",
	name: "LEDGER_RETRY_LIMIT",
};
/** What is about the turn at hand, or has ended before the next one (Claude Code reports their end). */
const OF_THE_FIRST: (keyof typeof FACTS)[] = ["open question", "background shell", "background agent"];

const write = (file: string, content: string) => ({ name: "Write", input: { file_path: file, content } });
const filler = (n: number) => Array.from({ length: 40 }, (_, i) => `helperNumber${n}x${i}`).join(" ");
const PAUSE = { delayMs: 300 };
/** A compaction strikes, the work goes on. */
const full = (n: number): Reply[] => [
	{ tools: [bash(`echo full ${n}`)], tokens: 90_000, ...PAUSE },
	{ tools: [bash("echo first call after"), bash("echo second call after")], tokens: 9_000, ...PAUSE },
	{ tools: [bash("echo later")], tokens: 9_500, ...PAUSE },
	{ text: "the end", tokens: 10_000 },
];

function script(project: string): { prompt: string; replies: Reply[] }[] {
	const task = (subject: string) => ({ name: "TaskCreate", input: { subject, description: "d", activeForm: "a" } });
	const update = (taskId: string, status: string) => ({ name: "TaskUpdate", input: { taskId, status } });
	const git = "git -c user.name=a -c user.email=a@example.org";
	return [
		{ prompt: IN_CLAUDE_MD, replies: [{ text: "ok", tokens: 6_000 }] },
		{
			prompt: `${FACTS.directive} Always print the SQL you run.`,
			replies: [
				{ tools: ["Read the schema", "Export to Parquet", "Write a manual"].map(task), tokens: 8_000 },
				{
					tools: [
						update("1", "in_progress"),
						write(join(project, "exporter.ts"), "export function reconcileLedgerBatch(amount_cents: number) {}"),
						write(join(project, "vitest"), "#!/bin/sh\necho ' Tests  14 passed (14)'\n"),
					],
					tokens: 9_000,
				},
				{
					tools: [
						bash("chmod +x vitest && git init -q . && git add -A"),
						bash(`${git} commit -q -m 'Read it' && ${git} commit --allow-empty -m 'Add the exporter'`),
						bash("PATH=.:$PATH vitest run"),
					],
					tokens: 9_200,
				},
				{ tools: [update("1", "completed"), update("2", "in_progress"), update("3", "deleted")], tokens: 9_400 },
				{ text: "done so far", tokens: 10_000 },
			],
		},
		{
			prompt: FACTS.message,
			replies: [
				{ tools: [bash(`echo 'no such table: ledger_2019' >&2; exit 3`), bash(`echo ${filler(1)}`)], tokens: 11_000 },
				{ text: "It exports at night.", tokens: 12_000 },
			],
		},
		{
			prompt: `Stop printing the SQL you run. ${FACTS.request}`,
			replies: [
				{
					tools: [
						{ name: "Bash", input: { command: FACTS["background shell"], description: "d", run_in_background: true } },
						bash("nohup sleep 12 >/dev/null 2>&1 & echo serving at http://localhost:8137"),
						{
							name: "Agent",
							input: {
								description: FACTS["background agent"],
								prompt: AGENT,
								subagent_type: "general-purpose",
								run_in_background: true,
							},
						},
						{ name: "ToolSearch", input: { query: "select:CronCreate" } },
					],
					tokens: 13_000,
				},
				{ tools: [{ name: "CronCreate", input: { cron: "*/7 * * * *", prompt: FACTS.schedule } }], tokens: 14_000 },
				{
					tools: [
						write(join(project, "notes.md"), `LEDGER_RETRY_LIMIT ${filler(2)}`),
						{ name: "Grep", input: { pattern: "amount_cents" } },
						bash(`echo ${filler(3)}`),
					],
					tokens: 15_000,
				},
				...Array.from({ length: 6 }, (_, i) => ({
					tools: [bash(`printf '%s\\n' ${filler(10 + i)} ${filler(20 + i)} ${filler(30 + i)}`)],
					tokens: 16_000 + i,
				})),
				{
					text: `${FACTS.assumption} ${FACTS["open question"]}`,
					tools: [write(join(project, "limits.md"), "LEDGER_RETRY_LIMIT is 3")],
					tokens: 17_000,
				},
				...full(1),
			],
		},
		{ prompt: "And the second ledger?", replies: full(2) },
		{ prompt: "And the third ledger?", replies: full(3) },
	];
}

test("every kind of fact is in what the model receives after each compaction, in two parts, each once", async () => {
	let replies: Reply[] = [];
	made = stage(
		(request) => {
			if (request.kind === "summary") return { text: SUMMARY, tokens: 5_000 };
			// the background agent is at work all the time
			if (request.first.includes(AGENT)) return { delayMs: 15_000, text: "They are equal.", tokens: 3_000 };
			return replies.shift() ?? { text: "nothing left to do", tokens: 10_000 };
		},
		{ env: { CLAUDE_CODE_ENABLE_TODO_TOOLS: "1" } },
	);
	writeFileSync(join(made.project, "CLAUDE.md"), `# Rules\n\n- ${IN_CLAUDE_MD}\n`);
	let sid = "";
	for (const { prompt, replies: played } of script(made.project)) {
		replies = [...played];
		sid = (await made.claude(prompt, ...(sid ? ["--resume", sid] : []))).session_id;
	}

	const main = made.api.requests.filter(({ first }) => !first.includes(AGENT));
	const at = main.flatMap(({ kind }, i) => (kind === "summary" ? [i] : []));
	expect(at).toHaveLength(3);
	const rounds = at.map((from, i) => main.slice(from + 1, at[i + 1]).filter(({ kind }) => kind === "main"));
	const table = Object.entries(FACTS).map(([kind, fact]) => [
		kind,
		...rounds.map((requests) => requests.some(({ all }) => all.includes(fact))),
	]);
	console.log(
		["planted fact".padEnd(32), ...rounds.map((_, i) => `compaction ${i + 1}`)].join("  "),
		...table.map(
			([kind, ...found]) =>
				`\n${String(kind).padEnd(32)}  ${found.map((one) => (one ? "found" : "-").padEnd(13)).join("")}`,
		),
	);
	expect(table.filter(([, first]) => !first)).toEqual([]);
	const lasting = table.filter(([kind]) => !OF_THE_FIRST.includes(kind as keyof typeof FACTS));
	expect(lasting.filter(([, ...found]) => !found.every(Boolean))).toEqual([]);

	const [first, last] = [rounds[0]![0]!, rounds[0]!.at(-1)!];
	expect(times(first, "ccg recovery precompact_checkpoint_")).toBe(1);
	expect(everything(first)).toContain(FACTS.directive);
	expect(everything(first)).not.toContain(", continued:");
	expect(times(last, ", continued: neither the summary nor the first part holds")).toBe(1);
	const given = last.all.slice(last.all.indexOf("ccg recovery precompact_"));
	for (const fact of [FACTS.directive, FACTS["task in work"], FACTS["file changed, with its symbols"]])
		expect(given.split(fact)).toHaveLength(2);
	// what CLAUDE.md brings back by itself is there, and not from us
	expect(last.all).toContain(IN_CLAUDE_MD);
	expect(given).not.toContain(IN_CLAUDE_MD);

	const reports = JSON.parse(made.ccg("report", "--session", sid, "--json"));
	expect(reports).toHaveLength(3);
	const [report] = reports;
	for (const { givenChars } of reports) expect(givenChars.block + givenChars.later).toBeLessThanOrEqual(9_000);
	expect(report.tokensAfter).toBeLessThan(report.tokensBefore);
	expect(report.kinds.directive).toMatchObject({ verbatim: 0, dropped: report.kinds.directive.total, reloaded: 1 });
	expect(report.kinds.directive.givenBack + report.kinds.message.givenBack + 1).toBe(
		report.kinds.directive.total + report.kinds.message.total,
	);
	expect(JSON.parse(made.ccg("status", "--json", "--session", sid))[0].checkpoint.delivered).toBe("yes");

	const logs = join(made.store, "projects");
	const daily = readdirSync(logs, { recursive: true })
		.map(String)
		.find((name) => /log\/.*\.md$/.test(name))!;
	expect(readFileSync(join(logs, daily), "utf8")).toMatch(/statements of the user the summary kept 0 word for word/);
	expect(existsSync(join(made.store, "log", "ccg.log"))).toBe(false);
});
