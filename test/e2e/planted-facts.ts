import { join } from "node:path";
import { type ClaudeSandbox, claudeSandbox } from "./claude-sandbox.ts";
import { type ApiRequest, type Reply, SUMMARY } from "./loopback-api.ts";
import { agent, bash, does, inBackground, read, says, task, thenDoes, update, write } from "./replies.ts";

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

const filler = (n: number) => Array.from({ length: 40 }, (_, i) => `helperNumber${n}x${i}`).join(" ");
/** A compaction comes, the work goes on. */
const full = (n: number, project: string): Reply[] => [
	thenDoes(90_000, bash(`echo full ${n}`)),
	thenDoes(9_000, read(join(project, "exporter.ts")), bash("grep -n LEDGER_RETRY_LIMIT *.md")),
	thenDoes(9_500, write(join(project, `batch-${n}.ts`), "reconcileLedgerBatch(amount_cents); // LEDGER_RETRY_LIMIT")),
	says(10_000, "the end"),
];

export function script(project: string): { prompt: string; replies: Reply[] }[] {
	const git = "git -c user.name=a -c user.email=a@example.org";
	return [
		{ prompt: FACTS["first message"], replies: [says(6_000, "ok")] },
		{
			prompt: `${FACTS.directive} Always print the SQL you run.`,
			replies: [
				does(8_000, task("Read the schema"), task("Export to Parquet"), task("Write a manual")),
				does(
					9_000,
					update("1", "in_progress"),
					write(join(project, "exporter.ts"), "export function reconcileLedgerBatch(amount_cents: number) {}"),
					write(join(project, "vitest"), "#!/bin/sh\necho ' Tests  14 passed (14)'\n"),
				),
				does(
					9_200,
					bash("chmod +x vitest && git init -q . && git add -A"),
					bash(`${git} commit -q -m 'Read it' && ${git} commit --allow-empty -m 'Add the exporter'`),
					bash("PATH=.:$PATH vitest run"),
				),
				does(9_400, update("1", "completed"), update("2", "in_progress"), update("3", "deleted")),
				says(10_000, "done so far"),
			],
		},
		{
			prompt: FACTS.message,
			replies: [
				does(11_000, bash(`echo 'no such table: ledger_2019' >&2; exit 3`), bash(`echo ${filler(1)}`)),
				says(12_000, "It exports at night."),
			],
		},
		{
			prompt: `Stop printing the SQL you run. ${FACTS.request}`,
			replies: [
				does(
					13_000,
					inBackground(FACTS["background shell"]),
					agent(AGENT, { description: FACTS["background agent"], run_in_background: true }),
					{ name: "ToolSearch", input: { query: "select:CronCreate" } },
				),
				does(14_000, { name: "CronCreate", input: { cron: "*/7 * * * *", prompt: FACTS.schedule } }),
				does(
					15_000,
					write(join(project, "notes.md"), `LEDGER_RETRY_LIMIT ${filler(2)}`),
					{ name: "Grep", input: { pattern: "amount_cents" } },
					bash(`echo ${filler(3)}`),
				),
				...Array.from({ length: 6 }, (_, i) =>
					does(16_000 + i, bash(`printf '%s\\n' ${filler(10 + i)} ${filler(20 + i)} ${filler(30 + i)}`)),
				),
				says(
					17_000,
					`${FACTS.assumption} ${FACTS["open question"]}`,
					write(join(project, "limits.md"), "LEDGER_RETRY_LIMIT is 3"),
				),
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
			if (request.kind === "summary") return says(5_000, summary);
			// the background agent is at work all the time
			if (request.first.includes(AGENT)) return { delayMs: 22_000, text: "They are equal.", tokens: 3_000 };
			return replies.shift() ?? says(10_000, "nothing left to do");
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
