import { join } from "node:path";
import { bash, type ClaudeSandbox, claudeSandbox } from "./claude-sandbox.ts";
import { type ApiRequest, type Reply, SUMMARY } from "./loopback-api.ts";

/** A session with one planted fact of each kind, played to the real Claude Code: for the test and for the fidelity bench. */
export const AGENT = "Compare the row counts of both ledgers.";

/** One planted fact of each kind, as the model must find it after each compaction. */
export const FACTS = {
	"first message": "Keep commits small and signed.",
	directive: "Never rename the column amount_cents, whatever the linter says.",
	"directive taken back": "Stop printing the SQL you run.",
	message: "what does the nightly job do?",
	request: "Finish the export and tell me the row count.",
	"task in work": "[in_progress] `Export to Parquet`",
	"commit made": "Add the exporter",
	"open question": "Should I also drop the archive tables?",
	assumption: "I'm assuming the amounts are whole cents.",
	"background shell": "sleep 20 && echo exported",
	"background agent": "Compare the ledgers",
	schedule: "poll the export",
	"file written": "notes.md",
	name: "LEDGER_RETRY_LIMIT",
};
/** What is about the turn at hand, or has ended before the next one (Claude Code reports their end). */
export const OF_THE_FIRST: (keyof typeof FACTS)[] = [
	"assumption",
	"open question",
	"background shell",
	"background agent",
];

const write = (file: string, content: string) => ({ name: "Write", input: { file_path: file, content } });
const filler = (n: number) => Array.from({ length: 40 }, (_, i) => `helperNumber${n}x${i}`).join(" ");
const PAUSE = { delayMs: 300 };
/** A compaction comes, the work goes on. */
const full = (n: number, project: string): Reply[] => [
	{ tools: [bash(`echo full ${n}`)], tokens: 90_000, ...PAUSE },
	{
		tools: [
			{ name: "Read", input: { file_path: join(project, "exporter.ts") } },
			bash("grep -n LEDGER_RETRY_LIMIT *.md"),
		],
		tokens: 9_000,
		...PAUSE,
	},
	{
		tools: [write(join(project, `batch-${n}.ts`), "reconcileLedgerBatch(amount_cents); // LEDGER_RETRY_LIMIT")],
		tokens: 9_500,
		...PAUSE,
	},
	{ text: "the end", tokens: 10_000 },
];

export function script(project: string): { prompt: string; replies: Reply[] }[] {
	const task = (subject: string) => ({ name: "TaskCreate", input: { subject, description: "d", activeForm: "a" } });
	const update = (taskId: string, status: string) => ({ name: "TaskUpdate", input: { taskId, status } });
	const git = "git -c user.name=a -c user.email=a@example.org";
	return [
		{ prompt: FACTS["first message"], replies: [{ text: "ok", tokens: 6_000 }] },
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
				...full(1, project),
			],
		},
		{ prompt: "And the second ledger?", replies: full(2, project) },
		{ prompt: "And the third ledger?", replies: full(3, project) },
	];
}

/** Plays the session: seven prompts, three compactions, a background agent. Gives the sandbox, to be closed, and the session's id. */
export async function playFacts(summary = SUMMARY): Promise<{ made: ClaudeSandbox; sid: string }> {
	let replies: Reply[] = [];
	const made = claudeSandbox(
		(request: ApiRequest) => {
			if (request.kind === "summary") return { text: summary, tokens: 5_000 };
			// the background agent is at work all the time
			if (request.first.includes(AGENT)) return { delayMs: 22_000, text: "They are equal.", tokens: 3_000 };
			return replies.shift() ?? { text: "nothing left to do", tokens: 10_000 };
		},
		{ env: { CLAUDE_CODE_ENABLE_TODO_TOOLS: "1" } },
	);
	let sid = "";
	for (const { prompt, replies: played } of script(made.project)) {
		replies = [...played];
		sid = (await made.claude(prompt, ...(sid ? ["--resume", sid] : []))).session_id;
	}
	return { made, sid };
}
