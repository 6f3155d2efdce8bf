import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { type ClaudeSandbox, claudeSandbox, logged, transcriptOf } from "./claude-sandbox.ts";
import { playing, type Reply } from "./loopback-api.ts";
import { bash, does, inBackground, says, task, thenDoes, update, write } from "./replies.ts";

const REPO = resolve(import.meta.dirname, "../..");
const DOCUMENT = join(REPO, "docs", "what-the-model-sees.md");
const CLAUDE = JSON.parse(readFileSync(join(REPO, "package.json"), "utf8")).config.claudeCode;
const HEAD = `# What the model sees

What ccg put before the model in two sessions of Claude Code ${CLAUDE}, in full, and the summaries, which are scripted. \`test/e2e/what-the-model-sees.test.ts\` makes these texts and compares. Paths, ids and times are replaced.
`;

const NAMES = { AUTHOR_NAME: "a", AUTHOR_EMAIL: "a@b.c", COMMITTER_NAME: "a", COMMITTER_EMAIL: "a@b.c" };
const DATES = { AUTHOR_DATE: "2026-01-31T10:00:00Z", COMMITTER_DATE: "2026-01-31T10:00:00Z" };
/** Each commit has the same hash. */
const GIT = Object.fromEntries(Object.entries({ ...NAMES, ...DATES }).map(([name, value]) => [`GIT_${name}`, value]));

/** The short session: one request, a nudge, a compaction. */
const SHORT: Reply[] = [
	does(20_000, bash("grep -rn retry src")),
	...Array.from({ length: 3 }, () => thenDoes(45_000, bash("sh upload.sh big.bin"))),
	says(90_000, "The upload stops at 5 MB because upload.sh sets a limit of 5M.", bash("ls")),
	thenDoes(12_000, bash("sed -i s/5M/50M/ upload.sh")),
	says(13_000, "It is raised to 50 MB."),
];

const TEST = "grep -q fields report.sh && echo '2 passed' && exit\necho '1 failed: a broken line was taken'\nexit 1\n";

/** The long one: what the user says, and what comes of it. */
const long = (file: (name: string) => string): [string, Reply[]][] => [
	[
		"Write report.sh, which sums ledger.csv per account. POSIX sh only, never add a dependency. Keep the sums in Postgres.",
		[
			does(8_000, task("Sum per account"), task("Refuse broken lines"), task("Serve the report")),
			does(9_000, write(file("report.sh"), "# sums\n"), write(file("test.sh"), TEST)),
			does(9_500, update("1", "completed"), bash("git init -q -b main && git add -A && git commit -qm Sums")),
			says(10_000, "The sums are in. Broken lines are next."),
		],
	],
	[
		"Actually, let's keep the sums in SQLite instead of Postgres. Don't touch archive/, the accountant reads it.",
		[says(10_500, "SQLite then.")],
	],
	[
		"Refuse broken lines, with the line in the message. Always ask me before you change the wording of an error message.",
		[
			does(11_000, update("2", "in_progress"), bash("sh test.sh")),
			says(
				12_000,
				"An empty third field counts as 0: the number of fields has to be checked, not the value.",
				write(file("report.sh"), "# sums, and checks the fields\n"),
				bash("sh test.sh"),
			),
			does(13_000, bash("git commit -qam 'Refuse broken lines'"), update("2", "completed")),
			says(14_000, "Broken lines are refused."),
		],
	],
	[
		"Go on with the third task, on port 8137.",
		[
			does(15_000, update("3", "in_progress"), write(file("serve.sh"), "sleep 9\n")),
			does(15_500, write(file("page.sh"), "echo 'no title given'\nexit 2\n")),
			does(16_000, inBackground("sh serve.sh 8137")),
			does(90_000, bash("sh page.sh 2026-01")),
			thenDoes(9_000, bash("ls")),
			says(10_000, "The page is still missing."),
		],
	],
	[
		"Put the month into the title of the page.",
		[
			does(90_000, write(file("page.sh"), 'echo "<title>$1</title>"\n'), bash("sh page.sh 2026-01")),
			thenDoes(9_000, bash("git status --short")),
			says(10_000, "The title has the month."),
		],
	],
];

const SUMMARIES = [
	"The user wants to know why the upload stops. upload.sh was run three times.",
	"report.sh sums ledger.csv per account and keeps the sums in Postgres. Broken lines are refused. The work was committed and pushed. The report is to be served next.",
	"report.sh sums ledger.csv per account, page.sh makes the page. Everything was committed.",
];

test("what the model saw is what the document holds", async () => {
	let replies: ReturnType<typeof playing> = () => ({});
	const summaries = SUMMARIES.map((one) => `<analysis>a</analysis><summary>${one}</summary>`);
	const made = claudeSandbox(
		(request, at) => (request.kind === "summary" ? says(5_000, summaries.shift()!) : replies(request, at)),
		{ env: { CLAUDE_CODE_ENABLE_TODO_TOOLS: "1", ...GIT } },
	);
	made.ccg("memory", "save", "tests run with: sh test.sh");
	made.ccg("memory", "save", "--target", "log", "the big upload fails since Friday");
	made.ccg("memory", "save", "--global", "the user wants short answers");
	mkdirSync(join(made.project, "src"));
	writeFileSync(join(made.project, "upload.sh"), "echo 'limit 5M exceeded'; exit 1\n");

	replies = playing(SHORT);
	const { session_id } = await made.claude("Find out why the upload stops. Never change files under src/ for it.");
	const [start, ...short] = seen(made, session_id);

	let sid = "";
	for (const [prompt, played] of long((name) => join(made.project, name))) {
		replies = playing(played);
		sid = (await made.claude(prompt, ...(sid ? ["--resume", sid] : []))).session_id;
	}
	const told = seen(made, sid).slice(1);
	const second = told.findLastIndex(({ who }) => who === SUMMARY);
	expect(logged(made)).toBe("");

	const text = [
		HEAD,
		...chapter("A start", [start!]),
		...chapter("A short session", short),
		...chapter("A long session", told.slice(0, second)),
		...chapter("The same session, compacted again", told.slice(second)),
	].join("\n");
	const shell = /background shell (\w+)/.exec(text)?.[1] ?? "no shell";
	const stable = text
		.replace(/\/tmp\/claude-\d+\/[^/]+\//g, "/tmp/claude/")
		.replaceAll(made.project, "/project")
		.replaceAll(made.home, "/home/you")
		.replaceAll(sid, "SESSION")
		.replaceAll(session_id, "SESSION")
		.replaceAll(shell, "SHELL")
		.replace(/\/tmp\/claude\/[0-9a-f-]+…/g, "/tmp/claude/SESSION…")
		.replace(/\b\d+ min ago\b/g, "N min ago")
		.replace(/checkpoint_\d{8}_\d{6}(?:_\d+)?/g, "checkpoint_KEY")
		.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME")
		.replace(/\d{4}-\d\d-\d\d/g, "DATE")
		.replace(/\b\d\d:\d\d\b/g, "HH:MM");
	if (process.env.CCG_TEST_WRITE) writeFileSync(DOCUMENT, stable);
	expect(stable).toBe(readFileSync(DOCUMENT, "utf8"));
});

const SUMMARY = "The summary";

/** What one session's model was told, in order; each text stands in a request that the API got. */
function seen(made: ClaudeSandbox, sid: string) {
	const lines = readFileSync(transcriptOf(made, sid), "utf8").trim().split("\n");
	return lines.flatMap((line): { who: string; text: string }[] => {
		const { attachment, isCompactSummary, message } = JSON.parse(line);
		const summary = isCompactSummary && SUMMARIES.find((one) => message.content.includes(one));
		if (attachment?.type !== "hook_additional_context" && !summary) return [];
		const text: string = summary || attachment.content.join("\n");
		expect(made.main().some(({ all }) => all.includes(text))).toBe(true);
		return [{ who: summary ? SUMMARY : attachment.hookEvent, text }];
	});
}

const chapter = (title: string, told: { who: string; text: string }[]): string[] => [
	`## ${title}\n`,
	...told.map(({ who, text }) => `### ${who}\n\n\`\`\`text\n${text}\n\`\`\`\n`),
];
