import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { type Reply, SUMMARY } from "./loopback-api.ts";
import { bash, everything, type Stage, stage, times } from "./stage.ts";

let made: Stage;
afterEach(() => made?.close());

/** One planted fact of each kind, and where the model must find it after the compaction. */
const FACTS = {
	directive: "Never rename the column amount_cents, whatever the linter says.",
	message: "what does the nightly job do?",
	request: "Finish the export and tell me the row count.",
	"task in work": "[in_progress] Export to Parquet",
	"task done": "[done] Read the schema",
	"failure not resolved": "no such table: ledger_2019",
	"background shell": "sleep 9 && echo exported",
	schedule: "poll the export",
	"file changed": "exporter.sql (1)",
	"file written": "notes.md",
	name: "reconcileLedgerBatch",
};

const write = (file: string, content: string) => ({ name: "Write", input: { file_path: file, content } });
const filler = (n: number) => Array.from({ length: 40 }, (_, i) => `helperNumber${n}x${i}`).join(" ");

function script(project: string): { prompts: string[]; replies: Reply[] } {
	const PAUSE = { delayMs: 300 };
	return {
		prompts: [FACTS.directive, FACTS.message, FACTS.request],
		replies: [
			{
				tools: [
					{ name: "TaskCreate", input: { subject: "Read the schema", description: "d", activeForm: "a" } },
					{ name: "TaskCreate", input: { subject: "Export to Parquet", description: "d", activeForm: "a" } },
				],
				tokens: 8_000,
			},
			{
				tools: [
					{ name: "TaskUpdate", input: { taskId: "1", status: "completed" } },
					{ name: "TaskUpdate", input: { taskId: "2", status: "in_progress" } },
					write(join(project, "exporter.sql"), "select reconcileLedgerBatch(amount_cents) from ledger;"),
				],
				tokens: 9_000,
			},
			{ text: "done so far", tokens: 10_000 },
			{ tools: [bash(`echo 'no such table: ledger_2019' >&2; exit 3`), bash(`echo ${filler(1)}`)], tokens: 11_000 },
			{ text: "it exports", tokens: 12_000 },
			{
				tools: [
					{ name: "Bash", input: { command: FACTS["background shell"], description: "d", run_in_background: true } },
					{ name: "ToolSearch", input: { query: "select:CronCreate" } },
				],
				tokens: 13_000,
			},
			{ tools: [{ name: "CronCreate", input: { cron: "*/7 * * * *", prompt: FACTS.schedule } }], tokens: 14_000 },
			{
				tools: [write(join(project, "notes.md"), `reconcileLedgerBatch ${filler(2)}`), bash(`echo ${filler(3)}`)],
				tokens: 15_000,
			},
			...Array.from({ length: 6 }, (_, i) => ({
				tools: [bash(`printf '%s\\n' ${filler(10 + i)} ${filler(20 + i)} ${filler(30 + i)}`)],
				tokens: 16_000 + i,
			})),
			{ tools: [bash("echo full")], tokens: 90_000, ...PAUSE },
			{ tools: [bash("echo first call after"), bash("echo second call after")], tokens: 9_000, ...PAUSE },
			{ tools: [bash("echo later")], tokens: 9_500, ...PAUSE },
			{ text: "the end", tokens: 10_000 },
		],
	};
}

test("every kind of fact is in what the model receives after a compaction, in two parts, each once", async () => {
	let n = 0;
	let replies: Reply[] = [];
	made = stage(
		(request) =>
			request.kind === "summary" ? { text: SUMMARY, tokens: 5_000 } : replies[Math.min(n++, replies.length - 1)]!,
		{ env: { CLAUDE_CODE_ENABLE_TODO_TOOLS: "1" } },
	);
	const { prompts, replies: played } = script(made.project);
	replies = played;
	let sid = "";
	for (const prompt of prompts) sid = (await made.claude(prompt, ...(sid ? ["--resume", sid] : []))).session_id;

	const at = made.api.requests.findIndex(({ kind }) => kind === "summary");
	const after = made.api.requests.slice(at + 1);
	const first = after[0]!;
	const last = after.at(-1)!;
	expect(times(first, "ccg recovery precompact_checkpoint_")).toBe(1);
	expect(everything(first)).toContain(FACTS.directive);
	expect(everything(first)).not.toContain(", continued:");
	expect(times(last, ", continued: neither the summary nor the first part holds")).toBe(1);

	const received = JSON.parse(JSON.stringify(last.all)) as string;
	const missing = Object.entries(FACTS).filter(([, fact]) => !received.includes(fact));
	expect(missing).toEqual([]);

	const given = received.slice(received.indexOf("ccg recovery precompact_"));
	for (const fact of [FACTS.directive, FACTS["task in work"], FACTS["file changed"]])
		expect(given.split(fact)).toHaveLength(2);

	const [report] = JSON.parse(made.ccg("report", "--session", sid, "--json"));
	expect(report.givenChars.block + report.givenChars.later).toBeLessThanOrEqual(9_000);
	expect(report.kinds.directive).toMatchObject({ verbatim: 0, dropped: report.kinds.directive.total });
	expect(report.kinds.directive.givenBack + report.kinds.message.givenBack).toBe(
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
