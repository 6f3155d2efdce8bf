import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { type ClaudeSandbox, claudeSandbox, logged } from "./claude-sandbox.ts";
import { says, turnsOf } from "./replies.ts";
import SESSIONS from "./what-the-model-sees.json";

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

const SUMMARIES = [
	"The user wants to know why the upload stops. upload.sh was run three times.",
	"report.sh sums ledger.csv per account and keeps the sums in Postgres. Broken lines are refused. The work was committed and pushed. The report is to be served next.",
	"report.sh sums ledger.csv per account, page.sh makes the page. Everything was committed.",
];

test("what the model saw is what the document holds", async () => {
	const summaries = SUMMARIES.map((one) => says(5_000, `<analysis>a</analysis><summary>${one}</summary>`));
	const made = claudeSandbox(undefined, {
		env: { CLAUDE_CODE_ENABLE_TODO_TOOLS: "1", ...GIT },
		// a real summary takes seconds, by when the transcript holds what came before it
		summary: () => ({ ...summaries.shift()!, delayMs: 500 }),
	});
	made.ccg("memory", "save", "tests run with: sh test.sh");
	made.ccg("memory", "save", "--target", "log", "the big upload fails since Friday");
	made.ccg("memory", "save", "--global", "the user wants short answers");
	mkdirSync(join(made.project, "src"));
	writeFileSync(join(made.project, "upload.sh"), "echo 'limit 5M exceeded'; exit 1\n");

	const play = (turns: unknown) => made.play(turnsOf(turns, () => made.project));
	const session_id = await play(SESSIONS.short);
	const [start, ...short] = seen(made, session_id);
	const sid = await play(SESSIONS.long);
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
	return made.lines(sid).flatMap(({ attachment, isCompactSummary, message }): { who: string; text: string }[] => {
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
