/**
 * Records the sessions that `ccg demo` and `bench/fidelity.ts` play: drives the real Claude Code against the loopback API (the demo's six
 * prompts and one compaction; the planted facts with three) and keeps the lines that matter. Not a test; run it by hand:
 *
 *   CCG_TEST_CLAUDE=.cache/claude-code-2.1.329/node_modules/.bin/claude npx bun test/e2e/record.ts demo | fidelity
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { gitIn } from "../kit/git.ts";
import { type ClaudeSandbox, claudeSandbox, transcriptOf } from "./claude-sandbox.ts";
import { playing, type Reply } from "./loopback-api.ts";
import { playFacts } from "./planted-facts.ts";
import { bash } from "./replies.ts";

const PARSER = `export function parse(line) {
	const [date, account, cents] = line.split(";");
	return { date, account, cents: Number(cents) };
}
`;
const TEST = `import { parse } from "../src/parse.mjs";
if (parse("2026-01-02;food;1250").cents !== 1250) throw new Error("cents");
try {
	parse("broken");
} catch {
	console.log("2 passed");
	process.exit(0);
}
console.error("1 failed: a broken line was taken");
process.exit(1);
`;

const create = (subject: string) => ({
	name: "TaskCreate",
	input: { subject, description: subject, activeForm: subject },
});
const update = (taskId: string, status: string) => ({ name: "TaskUpdate", input: { taskId, status } });

const script = (project: string): Reply[] => {
	const file = (name: string) => join(project, name);
	const old_string = '	const [date, account, cents] = line.split(";");';
	const check = '\n	if (cents === undefined) throw new Error("broken line: " + line);';
	const edit = { file_path: file("src/parse.mjs"), old_string, new_string: old_string + check };
	return [
		{ text: "I'll look at what is there first.", tools: [bash("ls && git log --oneline -3")], tokens: 18_000 },
		{
			tools: [
				create("Read semicolon lines"),
				create("Reject broken lines, with the line in the message"),
				create("Import from the command line"),
			],
			tokens: 31_000,
		},
		{
			tools: [
				{ name: "Write", input: { file_path: file("src/parse.mjs"), content: PARSER } },
				update("1", "in_progress"),
			],
			tokens: 58_000,
		},
		{ tools: [{ name: "Write", input: { file_path: file("test/parse.test.mjs"), content: TEST } }], tokens: 77_000 },
		{ text: "Lines are read. Broken ones are next.", tokens: 80_000 },
		{ tools: [update("1", "completed"), update("2", "in_progress"), bash("node test/parse.test.mjs")], tokens: 96_000 },
		{ tools: [{ name: "Read", input: { file_path: file("src/parse.mjs") } }], tokens: 112_000 },
		{ tools: [{ name: "Edit", input: edit }], tokens: 128_000 },
		{
			tools: [bash("node test/parse.test.mjs"), bash("git status --short"), bash("node src/import.mjs ledger.txt")],
			tokens: 139_000,
		},
		{ text: "Broken lines are refused now, with the line in the message.", tokens: 141_000 },
		{ text: "archive/ stays as it is.", tokens: 143_000 },
		{ tools: [bash("git add -A && git commit -qm 'Refuse broken lines' && git log --oneline -1")], tokens: 150_000 },
		{ text: "Committed.", tokens: 151_000 },
		{ text: "I'll ask first.", tokens: 152_000 },
		{ tools: [update("2", "completed"), update("3", "in_progress"), bash("ls src")], tokens: 171_000 },
		{ text: "The command line comes next.", tokens: 12_000 },
	];
};

const PROMPTS = [
	"Write an importer for our ledger: lines are date;account;cents. Never add a dependency, and keep parse() pure: no I/O in it.",
	"Amounts must stay integers in cents, do not use floats anywhere. Broken lines should be refused, with the line in the message.",
	"Don't touch anything under archive/, the accountant reads those files.",
	"Commit after each step with a short message.",
	"Always ask me before you change the wording of an error message.",
	"Now import from the command line: ledger import FILE, and stop at the first broken line instead of skipping it.",
];

/**
 * No model is in reach here, so this stands in for one: in the form of Claude Code's own summaries, and keeping half of what
 * the user said, mostly in its own words. Summaries in public transcripts kept 40 to 64 percent of the user's short messages.
 */
const SUMMARY = `<analysis>
The user is building an importer for ledger files, step by step. Parsing and refusing broken lines are done; the command line is next.
</analysis>
<summary>
1. Primary Request and Intent:
   The user asked for an importer for ledger files whose lines are date;account;cents. No dependency may be added, and parse() is to be kept pure, with no I/O in it. Amounts must stay integers in cents, floats are not to be used anywhere, and broken lines should be refused with the line in the message.

2. Key Technical Concepts:
   - ES modules, run with node
   - Lines split at semicolons
   - Tests as plain scripts that end with an exit code

3. Files and Code Sections:
   - src/parse.mjs
     - parse(line) splits a line and returns date, account and cents
     - now throws "broken line: …" when a field is missing
   - test/parse.test.mjs
     - one good line, one broken line

4. Errors and fixes:
   - The first test run took a broken line: a check for missing fields was added to parse().
   - src/import.mjs does not exist yet, so running it failed.

5. Problem Solving:
   Refusing broken lines works, 2 tests pass.

6. All user messages:
   - Write an importer for the ledger
   - Amounts as integers in cents, refuse broken lines
   - Commit after each step, with a short message
   - Import from the command line

7. Pending Tasks:
   - Import from the command line

8. Current Work:
   Task 2 was completed and committed; task 3, the import from the command line, was begun.

9. Optional Next Step:
   Create src/import.mjs, which reads a file and calls parse() for each of its lines.
</summary>`;

/** As summaries are: the work in broad strokes, few of the user's words. */
const FACTS_SUMMARY = `<analysis>An export of ledgers.</analysis>
<summary>
1. Primary request: export the ledgers and tell the row count.
2. Files: exporter.ts was written, notes.md holds limits.
3. Work done: the schema was read, one commit; one query failed.
4. Next step: finish the export to Parquet.
</summary>`;

async function playDemo() {
	let replies: ReturnType<typeof playing> = () => ({});
	const made = claudeSandbox(
		(request, index) => (request.kind === "summary" ? { text: SUMMARY, tokens: 9_000 } : replies(request, index)),
		{
			install: null,
			env: { CLAUDE_CODE_AUTO_COMPACT_WINDOW: "200000", CLAUDE_CODE_ENABLE_TODO_TOOLS: "1" },
		},
	);
	replies = playing(script(made.project));
	for (const folder of ["src", "test"]) mkdirSync(join(made.project, folder));
	writeFileSync(join(made.project, "README.md"), "# ledger\n");
	const git = (...args: string[]) =>
		gitIn(made.project, made.home, ["-c", "user.name=Demo", "-c", "user.email=demo@example.invalid", ...args]);
	git("init", "-q", "-b", "importer");
	git("config", "user.name", "Demo");
	git("config", "user.email", "demo@example.invalid");
	git("add", "-A");
	git("commit", "-qm", "Start");

	let sid = "";
	for (const prompt of PROMPTS) sid = (await made.claude(prompt, ...(sid ? ["--resume", sid] : []))).session_id;
	return { made, sid };
}

const KEPT = new Set(["user", "assistant", "system"]);
const DROPPED = ["stop_hook_summary", "turn_duration", "local_command"];

/** A session's transcript as a fixture: the lines that matter, with the scratch paths and the id replaced. */
function recorded(made: ClaudeSandbox, sid: string): string {
	return readFileSync(transcriptOf(made, sid), "utf8")
		.split("\n")
		.filter(Boolean)
		.map((line) => JSON.parse(line))
		.filter((entry) => KEPT.has(entry.type) && !DROPPED.includes(entry.subtype) && !entry.isMeta)
		.map(
			(entry) =>
				`${JSON.stringify(entry)
					.replaceAll(made.project, "{{PROJECT}}")
					.replaceAll(made.home, "{{HOME}}")
					.replaceAll(sid, "{{SESSION}}")}\n`,
		)
		.join("");
}

const name = process.argv[2] === "fidelity" ? "fidelity" : "demo";
const { made, sid } = await (name === "demo" ? playDemo() : playFacts(FACTS_SUMMARY));
const folder = { demo: "../../demo", fidelity: "../../bench/fidelity" }[name];
writeFileSync(resolve(import.meta.dirname, folder, "session.jsonl"), recorded(made, sid));
await made.close();
