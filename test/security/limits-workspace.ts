/** What lies in a workspace, or comes with an event, made to stop a hook. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { COMPACTION, type EntryPoint, type Hostile, put, talk } from "./limits-fixture.ts";
import { call } from "./limits-lines.ts";

const KB = 1024;
const MB = 1024 * KB;
const PLAN = ".active-plan.md";
const FAILURES = "skills/failure-recovery/failure-log.md";
const inProject = (path: string, content: string | (() => string)): Pick<Hostile, "prepare"> => ({
	prepare: (at) => put(join(at.project, path), typeof content === "string" ? content : content()),
});

const WINDOW: readonly EntryPoint[] = ["pre-compact", "start compact"];

const workspace: Hostile[] = [
	{ name: "plan of blank lines", ...inProject(PLAN, "\n".repeat(256 * KB)), entries: COMPACTION },
	{ name: "plan of blanks", ...inProject(PLAN, " \n".repeat(128 * KB)), entries: WINDOW },
	{ name: "plan of tabs behind a goal", ...inProject(PLAN, `**Goal**:${"\t\n".repeat(127 * KB)}`), entries: WINDOW },
	{ name: "plan of goals", ...inProject(PLAN, "**Goal**:".repeat(28 * KB)), entries: WINDOW },
	{ name: "plan of goals without words", ...inProject(PLAN, "**Goal**:\n".repeat(25 * KB)), entries: WINDOW },
	{ name: "plan of one line", ...inProject(PLAN, "x".repeat(256 * KB)), entries: WINDOW },
	{ name: "plan of digits", ...inProject(PLAN, "1".repeat(256 * KB)), entries: WINDOW },
	{ name: "plan of steps", ...inProject(PLAN, "1. a\n".repeat(51 * KB)), entries: WINDOW },
	{ name: "plan of carriage returns", ...inProject(PLAN, "\r".repeat(256 * KB)), entries: WINDOW },
	{ name: "plan of line separators", ...inProject(PLAN, "\u2028".repeat(85 * KB)), entries: WINDOW },
	{ name: "plan of [in-progress", ...inProject(PLAN, "[in-progress".repeat(21 * KB)), entries: WINDOW },
	{
		name: "plan of 30 MB",
		...inProject(PLAN, () => "- step\n".repeat(4 * MB)),
		entries: WINDOW,
		told: /bytes of the file were not read/,
	},
	{ name: "failure log of blank lines", ...inProject(FAILURES, "\n".repeat(256 * KB)), entries: WINDOW },
	{ name: "failure log of rules", ...inProject(FAILURES, "---\n".repeat(64 * KB)), entries: WINDOW },
	{ name: "failure log of rules and blanks", ...inProject(FAILURES, `---${" ".repeat(255 * KB)}x`), entries: WINDOW },
	{
		name: "failure log of rules, lines between",
		...inProject(FAILURES, `---${"\n".repeat(255 * KB)}x`),
		entries: WINDOW,
	},
	{ name: "CLAUDE.md of comment openers", ...inProject("CLAUDE.md", "<!--".repeat(64 * KB)), entries: COMPACTION },
	{ name: "CLAUDE.md of half closed comments", ...inProject("CLAUDE.md", "<!--->".repeat(42 * KB)), entries: WINDOW },
	{ name: "CLAUDE.md of blanks", ...inProject("CLAUDE.md", " ".repeat(256 * KB)), entries: WINDOW },
	{
		name: "CLAUDE.md of the user's letters",
		...inProject("CLAUDE.md", "Never touch t".repeat(19 * KB)),
		entries: COMPACTION,
	},
	{ name: "CLAUDE.md of 40 MB", ...inProject("CLAUDE.md", () => "# rule\n".repeat(6 * MB)), entries: WINDOW },
	{
		name: "CLAUDE.local.md of comment openers",
		...inProject("CLAUDE.local.md", "<!-".repeat(85 * KB)),
		entries: WINDOW,
	},
	{
		name: "names made to be looked for, CLAUDE.md of their letters",
		prepare(at) {
			const name = `${"a/".repeat(60)}x`;
			const lines = Array.from({ length: 400 }, (_, i) => call("Read", { file_path: `${at.project}/${name}${i}` }, i));
			talk(at, lines);
			put(join(at.project, "CLAUDE.md"), "a/".repeat(127 * KB));
			put(join(at.home, ".claude", "CLAUDE.md"), "a/".repeat(127 * KB));
		},
		entries: COMPACTION,
	},
	{
		name: "a folder of 20,000 files",
		prepare(at) {
			for (let i = 0; i < 20_000; i++) writeFileSync(join(at.project, `${"n".repeat(200)}${i}`), "");
		},
		entries: WINDOW,
	},
];

const payloads: Hostile[] = [
	{
		name: "a summary of 10 MB",
		entries: [...WINDOW, "post-compact", "user-prompt-submit"],
		fields: { "post-compact": { compact_summary: "word ".repeat(2 * MB) } },
		told: /larger than|bytes/,
	},
	{
		name: "a summary of quotations",
		entries: [...WINDOW, "post-compact", "user-prompt-submit"],
		fields: { "post-compact": { compact_summary: `The user said: ${'"aaaa bbbb cccc" '.repeat(200_000)}` } },
	},
	{
		name: "a summary of open quotations",
		entries: [...WINDOW, "post-compact", "user-prompt-submit"],
		fields: { "post-compact": { compact_summary: `The user said ${'"a. '.repeat(900_000)}` } },
	},
	{
		name: "a summary of the word user",
		entries: [...WINDOW, "post-compact", "user-prompt-submit"],
		fields: { "post-compact": { compact_summary: "user ".repeat(780_000) } },
	},
	{
		name: "a summary of ellipses",
		entries: [...WINDOW, "post-compact", "user-prompt-submit"],
		fields: { "post-compact": { compact_summary: `The user said: "${" ".repeat(390)}x" `.repeat(9_000) } },
	},
	{
		name: "custom instructions of 3.9 MB",
		entries: WINDOW,
		fields: { "pre-compact": { custom_instructions: "x".repeat(3.9 * MB) } },
	},
	{
		name: "a prompt of 3.9 MB",
		entries: [...WINDOW, "user-prompt-submit"],
		fields: { "user-prompt-submit": { prompt: "<".repeat(3.9 * MB) } },
	},
	{
		name: "a prompt of 12 MB",
		entries: [...WINDOW, "user-prompt-submit"],
		fields: { "user-prompt-submit": { prompt: "x".repeat(12 * MB) } },
		told: /larger than|bytes/,
	},
	{
		name: "a last message of 3.9 MB",
		entries: ["stop"],
		fields: { stop: { last_assistant_message: "x".repeat(3.9 * MB) } },
		wordless: true,
	},
	{
		name: "tool input of 400,000 keys",
		entries: ["pre-tool-use"],
		fields: {
			"pre-tool-use": { tool_input: Object.fromEntries(Array.from({ length: 300_000 }, (_, i) => [`k${i}`, ""])) },
		},
		wordless: true,
	},
	{
		name: "background tasks, 30,000",
		entries: ["stop"],
		fields: {
			stop: {
				background_tasks: Array.from({ length: 30_000 }, (_, i) => ({
					id: `t${i}`,
					type: "shell",
					description: "x".repeat(90),
				})),
			},
		},
		wordless: true,
	},
	{
		name: "a status line input of 20 MB",
		entries: ["statusline"],
		fields: { statusline: { output_style: { name: "x".repeat(20 * MB) } } },
		wordless: true,
	},
	{
		name: "a status line input of 3 million keys",
		entries: ["statusline"],
		fields: { statusline: Object.fromEntries(Array.from({ length: 900_000 }, (_, i) => [`k${i}`, i])) },
		wordless: true,
	},
	{
		name: "a status line with a model's name of 8 MB",
		entries: ["statusline"],
		fields: { statusline: { model: { id: "claude-".repeat(MB), display_name: "y".repeat(MB) } } },
		wordless: true,
	},
	{
		name: "a cwd of 1 MB",
		entries: [...WINDOW, "stop", "start startup"],
		fields: Object.fromEntries(
			[...WINDOW, "stop", "start startup"].map((entry) => [entry, { cwd: `/${"a/".repeat(MB / 2)}` }]),
		),
	},
	{
		name: "a transcript path of 1 MB",
		entries: ["stop", "post-tool-batch"],
		fields: {
			stop: { transcript_path: `/${"a/".repeat(MB / 2)}` },
			"post-tool-batch": { transcript_path: `/${"a/".repeat(MB / 2)}` },
		},
		wordless: true,
	},
];

export const WORKSPACE: readonly Hostile[] = [...workspace, ...payloads];
