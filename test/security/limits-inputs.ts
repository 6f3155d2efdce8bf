/** Inputs made to stop a hook: workspace texts, payloads, what lies in the store. Transcripts: `limits-transcripts.ts`. */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { projectFolder } from "../../src/store/project.ts";
import type { Stage } from "./kit.ts";
import { call } from "./limits-lines.ts";
import { COMPACTION, type Door, type Hostile, put, talk } from "./limits-stage.ts";

const KB = 1024;
const MB = 1024 * KB;
const PLAN = ".active-plan.md";
const FAILURES = "skills/failure-recovery/failure-log.md";
const WINDOW: readonly Door[] = ["pre-compact", "start compact"];
const STARTS: readonly Door[] = ["start startup", "start clear"];
const LISTS: readonly Door[] = ["ccg memory list", "ccg memory show"];

const inProject = (path: string, content: string | (() => string)): Pick<Hostile, "prepare"> => ({
	prepare: (at) => put(join(at.project, path), typeof content === "string" ? content : content()),
});
const inStore = (path: string, content: () => string): Pick<Hostile, "prepare"> => ({
	prepare: (at) => put(join(at.store, path), content()),
});
const ofSession = (name: string, content: (at: Stage) => string): Pick<Hostile, "prepare"> => ({
	prepare: (at) => put(join(at.store, "sessions", at.sid, name), content(at)),
});
const ofProject = (path: string, content: () => string): Pick<Hostile, "prepare"> => ({
	prepare: (at) => put(join(projectFolder(at.store, at.project), path), content()),
});

const workspace: Hostile[] = [
	{ name: "plan of blank lines", ...inProject(PLAN, "\n".repeat(256 * KB)), doors: COMPACTION },
	{ name: "plan of blanks", ...inProject(PLAN, " \n".repeat(128 * KB)), doors: WINDOW },
	{ name: "plan of tabs behind a goal", ...inProject(PLAN, `**Goal**:${"\t\n".repeat(127 * KB)}`), doors: WINDOW },
	{ name: "plan of goals", ...inProject(PLAN, "**Goal**:".repeat(28 * KB)), doors: WINDOW },
	{ name: "plan of goals without words", ...inProject(PLAN, "**Goal**:\n".repeat(25 * KB)), doors: WINDOW },
	{ name: "plan of one line", ...inProject(PLAN, "x".repeat(256 * KB)), doors: WINDOW },
	{ name: "plan of digits", ...inProject(PLAN, "1".repeat(256 * KB)), doors: WINDOW },
	{ name: "plan of steps", ...inProject(PLAN, "1. a\n".repeat(51 * KB)), doors: WINDOW },
	{ name: "plan of carriage returns", ...inProject(PLAN, "\r".repeat(256 * KB)), doors: WINDOW },
	{ name: "plan of line separators", ...inProject(PLAN, "\u2028".repeat(85 * KB)), doors: WINDOW },
	{ name: "plan of [in-progress", ...inProject(PLAN, "[in-progress".repeat(21 * KB)), doors: WINDOW },
	{
		name: "plan of 30 MB",
		...inProject(PLAN, () => "- step\n".repeat(4 * MB)),
		doors: WINDOW,
		told: /bytes of the file were not read/,
	},
	{ name: "failure log of blank lines", ...inProject(FAILURES, "\n".repeat(256 * KB)), doors: WINDOW },
	{ name: "failure log of rules", ...inProject(FAILURES, "---\n".repeat(64 * KB)), doors: WINDOW },
	{ name: "failure log of rules and blanks", ...inProject(FAILURES, `---${" ".repeat(255 * KB)}x`), doors: WINDOW },
	{
		name: "failure log of rules, lines between",
		...inProject(FAILURES, `---${"\n".repeat(255 * KB)}x`),
		doors: WINDOW,
	},
	{ name: "CLAUDE.md of comment openers", ...inProject("CLAUDE.md", "<!--".repeat(64 * KB)), doors: COMPACTION },
	{ name: "CLAUDE.md of half closed comments", ...inProject("CLAUDE.md", "<!--->".repeat(42 * KB)), doors: WINDOW },
	{ name: "CLAUDE.md of blanks", ...inProject("CLAUDE.md", " ".repeat(256 * KB)), doors: WINDOW },
	{
		name: "CLAUDE.md of the user's letters",
		...inProject("CLAUDE.md", "Never touch t".repeat(19 * KB)),
		doors: COMPACTION,
	},
	{ name: "CLAUDE.md of 40 MB", ...inProject("CLAUDE.md", () => "# rule\n".repeat(6 * MB)), doors: WINDOW },
	{ name: "CLAUDE.local.md of comment openers", ...inProject("CLAUDE.local.md", "<!-".repeat(85 * KB)), doors: WINDOW },
	{
		name: "names made to be looked for, CLAUDE.md of their letters",
		prepare(at) {
			const name = `${"a/".repeat(60)}x`;
			const lines = Array.from({ length: 400 }, (_, i) => call("Read", { file_path: `${at.project}/${name}${i}` }, i));
			talk(at, lines);
			put(join(at.project, "CLAUDE.md"), "a/".repeat(127 * KB));
			put(join(at.home, ".claude", "CLAUDE.md"), "a/".repeat(127 * KB));
		},
		doors: COMPACTION,
	},
	{
		name: "a folder of 20,000 files",
		prepare(at) {
			for (let i = 0; i < 20_000; i++) writeFileSync(join(at.project, `${"n".repeat(200)}${i}`), "");
		},
		doors: WINDOW,
	},
];

const memory: Hostile[] = [
	{
		name: "MEMORY.md of 15 MB, one line",
		...ofProject("MEMORY.md", () => "x".repeat(15 * MB)),
		doors: [...STARTS, ...LISTS],
		wordless: true,
		told: /left out|more than|larger/i,
	},
	{
		name: "MEMORY.md of 15 MB, blank lines",
		...ofProject("MEMORY.md", () => "\n".repeat(15 * MB)),
		doors: [...STARTS, ...LISTS],
		wordless: true,
	},
	{
		name: "MEMORY.md of 15 MB, notes",
		...ofProject("MEMORY.md", () => "- a\n".repeat(4 * MB)),
		doors: [...STARTS, ...LISTS],
		wordless: true,
		told: /left out/i,
	},
	{
		name: "MEMORY.md of 15 MB, an open fence",
		...ofProject("MEMORY.md", () => `\`\`\`\n${"a\n".repeat(7 * MB)}`),
		doors: STARTS,
		wordless: true,
		told: /left out/i,
	},
	{
		name: "MEMORY.md of 15 MB, headings",
		...ofProject("MEMORY.md", () => "# a\n- b\n".repeat(2 * MB)),
		doors: STARTS,
		wordless: true,
		told: /left out/i,
	},
	{
		name: "MEMORY.md of 15 MB, terminal codes",
		...ofProject("MEMORY.md", () => "\u001b[".repeat(7 * MB)),
		doors: STARTS,
		wordless: true,
	},
	{
		name: "MEMORY.md of 300 MB",
		...ofProject("MEMORY.md", () => "- 0123456789\n".repeat(23 * MB)),
		doors: [...STARTS, "ccg memory list"],
		wordless: true,
		told: /left out/i,
	},
	{
		name: "global MEMORY.md of 15 MB",
		...inStore("MEMORY.md", () => "- a note of some words\n".repeat(680 * KB)),
		doors: STARTS,
		wordless: true,
		told: /left out/i,
	},
	{
		name: "three logs of a million lines",
		prepare(at) {
			const folder = join(projectFolder(at.store, at.project), "log");
			for (const day of ["2026-01-01", "2026-01-02", "2026-01-03"])
				put(join(folder, `${day}.md`), "- 10:00 something was done and it went well\n".repeat(1_000_000));
		},
		doors: [...STARTS, "ccg memory list"],
		wordless: true,
		told: /left out/i,
	},
	{
		name: "20,000 daily logs",
		prepare(at) {
			const folder = join(projectFolder(at.store, at.project), "log");
			mkdirSync(folder, { recursive: true });
			for (let i = 0; i < 20_000; i++) {
				const day = new Date(1e12 + i * 86_400_000 - 8e11).toISOString().slice(0, 10);
				writeFileSync(join(folder, `${day}.md`), i % 2 ? "- 10:00 done\n" : "");
			}
		},
		doors: [...STARTS],
		wordless: true,
	},
	{
		name: "native MEMORY.md of 40 MB",
		prepare: (at) =>
			put(
				join(at.home, ".claude", "projects", at.project.replace(/[^A-Za-z0-9]/g, "-"), "memory", "MEMORY.md"),
				"- a\n".repeat(10 * MB),
			),
		doors: ["pre-compact", "start compact", "ccg memory list"],
	},
];

const nest = (n: number, open = "[", close = "]"): string => open.repeat(n) + close.repeat(n);

const store: Hostile[] = [
	{
		name: "config.json of 15 MB, keys",
		...inStore("config.json", () =>
			JSON.stringify(Object.fromEntries(Array.from({ length: 900_000 }, (_, i) => [`key${i}`, i]))),
		),
		doors: ["pre-compact", "start compact", "pre-tool-use", "statusline", "ccg status"],
	},
	{
		name: "config.json of 15 MB, one key",
		...inStore("config.json", () => JSON.stringify({ nudge: { wording: "x".repeat(15 * MB) } })),
		doors: ["pre-compact", "start compact", "pre-tool-use", "statusline"],
	},
	{
		name: "config.json, nested",
		...inStore("config.json", () => `{"a":${nest(2 * MB)}}`),
		doors: ["pre-compact", "start compact", "statusline", "ccg status"],
	},
	{
		name: "config.json, brackets open",
		...inStore("config.json", () => "[".repeat(8 * MB)),
		doors: ["pre-compact", "start compact", "statusline"],
	},
	{
		name: "learned.json of 15 MB",
		...inStore("learned.json", () =>
			JSON.stringify({
				version: 1,
				observed: Object.fromEntries(
					Array.from({ length: 200_000 }, (_, i) => [`m${i}|1|1`, [{ uuid: `u${i}`, preTokens: i }]]),
				),
			}),
		),
		doors: ["pre-compact", "start compact", "usage", "statusline"],
	},
	{
		name: "state.json of 15 MB, messages",
		...ofSession("state.json", (at) =>
			ledger(at, {
				messages: Array.from({ length: 150_000 }, (_, i) => ({
					at: "",
					order: i,
					source: "typed",
					text: `m${i} never x`,
					directives: [`m${i} never x`],
				})),
			}),
		),
		doors: COMPACTION,
	},
	{
		name: "state.json of 15 MB, names",
		...ofSession("state.json", (at) =>
			ledger(at, {
				identifiers: Object.fromEntries(Array.from({ length: 500_000 }, (_, i) => [`name_${i}`, [1, 1, 1]])),
			}),
		),
		doors: COMPACTION,
	},
	{
		name: "state.json of 15 MB, files",
		...ofSession("state.json", (at) =>
			ledger(at, {
				files: Array.from({ length: 200_000 }, (_, i) => ({
					path: `/p/${i}/f.ts`,
					edits: 1,
					reads: 1,
					order: i,
					at: "",
				})),
			}),
		),
		doors: COMPACTION,
	},
	{
		name: "state.json, nested",
		...ofSession("state.json", () => `{"version":1,"state":${nest(MB)}}`),
		doors: COMPACTION,
	},
	{
		name: "state.json of 100 MB",
		...ofSession("state.json", () => `{"x":"${"y".repeat(100 * MB)}"}`),
		doors: COMPACTION,
	},
	{
		name: "events.jsonl of 100 MB",
		...ofSession("events.jsonl", () =>
			`${JSON.stringify({ v: 1, at: "2026-01-02T03:04:05.000Z", id: "a", kind: "zone", from: "calm", zone: "watch", tokens: 1, distance: 1 })}\n`.repeat(
				860_000,
			),
		),
		doors: ["stop", "context", "ccg sessions show s-1"],
		wordless: true,
	},
	{
		name: "events.jsonl of one line of 100 MB",
		...ofSession("events.jsonl", () => "x".repeat(100 * MB)),
		doors: ["stop", "context"],
		wordless: true,
	},
	{
		name: "events.jsonl of background records",
		...ofSession("events.jsonl", () =>
			Array.from({ length: 60_000 }, (_, i) =>
				JSON.stringify({
					v: 1,
					at: "2026-01-02T03:04:05.000Z",
					id: `b${i}`,
					kind: "background",
					tasks: [
						{ id: `t${i}`, kind: "shell", description: "d", status: "running", output: "", started_at: 0, seen_at: 0 },
					],
				}),
			)
				.join("\n")
				.concat("\n"),
		),
		doors: ["stop", "context"],
		wordless: true,
	},
	{
		name: "context.json of 15 MB, nested",
		...ofSession("context.json", () => `{"version":1,"session_id":"s-1","facts":${nest(2 * MB)}}`),
		doors: ["stop", "context"],
		wordless: true,
	},
	{
		name: "context.json of 15 MB, facts",
		...ofSession("context.json", () =>
			JSON.stringify({ ...emptyContext(), facts: Array.from({ length: 700_000 }, (_, i) => `fact ${i}`) }),
		),
		doors: ["stop", "context", "ccg sessions show s-1"],
		wordless: true,
	},
	{
		name: "usage.json of 15 MB",
		...ofSession("usage.json", () => JSON.stringify({ version: 1, cwd: "x".repeat(15 * MB) })),
		doors: ["statusline", "pre-tool-use", "ccg status"],
		wordless: true,
	},
	{
		name: "chosen profile of 15 MB",
		prepare(at) {
			put(join(at.store, "profiles", ".in-use"), "");
			put(
				join(at.store, "sessions", at.sid, "profile.json"),
				JSON.stringify({
					version: 1,
					name: "big",
					config: Object.fromEntries(Array.from({ length: 900_000 }, (_, i) => [`k${i}`, i])),
				}),
			);
		},
		doors: ["pre-compact", "start compact", "statusline"],
	},
	{
		name: "a pending record of 15 MB",
		...ofSession("pending.json", () =>
			JSON.stringify({
				version: 1,
				key: "precompact_checkpoint_20260102_030405",
				at: "x".repeat(15 * MB),
				trigger: "auto",
			}),
		),
		doors: ["start compact", "give"],
	},
	{
		name: "a session's folder of 20,000 files",
		prepare(at) {
			const folder = join(at.store, "sessions", at.sid);
			mkdirSync(folder, { recursive: true });
			for (let i = 0; i < 20_000; i++) writeFileSync(join(folder, `.x${i}.tmp`), "");
		},
		doors: [...COMPACTION, "stop"],
	},
	{
		name: "20,000 files in learned-later",
		prepare(at) {
			const folder = join(at.store, "learned-later");
			mkdirSync(folder, { recursive: true });
			for (let i = 0; i < 20_000; i++)
				writeFileSync(join(folder, `${i}.json`), `{"version":1,"key":"k","seen":[{"uuid":"u${i}","preTokens":1}]}`);
		},
		doors: ["usage", "pre-compact", "start compact"],
	},
	{
		name: "20,000 markers",
		prepare(at) {
			const folder = join(at.store, "run", "flush");
			mkdirSync(folder, { recursive: true });
			for (let i = 0; i < 20_000; i++) writeFileSync(join(folder, `s${i}`), "");
		},
		doors: ["pre-tool-use", "start startup", "statusline"],
		wordless: true,
	},
	{
		name: "2,000 sessions",
		prepare(at) {
			for (let i = 0; i < 2_000; i++)
				put(
					join(at.store, "sessions", `s${i}`, "usage.json"),
					`{"version":1,"at":"2026-01-02T03:04:05.000Z","cwd":"/x"}`,
				);
		},
		doors: ["ccg status", "ccg sessions list"],
		wordless: true,
	},
	{
		name: "task state of 15 MB",
		...ofSession("task-state.json", () => JSON.stringify({ version: 1, goal: "x".repeat(15 * MB) })),
		doors: ["ccg task status", "ccg status", "pre-tool-use"],
		wordless: true,
	},
	{
		name: "task state, nested",
		...ofSession("task-state.json", () => `{"version":1,"goal":${nest(MB)}}`),
		doors: ["ccg task status", "ccg status"],
		wordless: true,
	},
	{
		name: "task summary of 15 MB",
		...ofSession("summaries/latest-summary.md", () => "- a\n".repeat(4 * MB)),
		doors: ["ccg task status"],
		wordless: true,
	},
];

function ledger(at: Stage, more: object): string {
	const lists = {
		messages: [],
		decisions: [],
		tasks: [],
		files: [],
		commands: [],
		failures: [],
		inFlight: [],
		questions: [],
		assumptions: [],
		commits: [],
		checks: [],
		searches: [],
	};
	const words = { startedAt: "", lastSaid: "", cwd: "", branch: "", claudeVersion: "", model: "" };
	const state = {
		version: 3,
		order: 9,
		boundaries: 0,
		plan: null,
		tokens: null,
		identifiers: {},
		open: {},
		dropped: {},
		...lists,
		...words,
		...more,
	};
	return JSON.stringify({ version: 1, offset: 0, transcriptPath: at.transcript, state });
}

function emptyContext(): object {
	const system_state = {
		cwd: "",
		branch: "",
		claude_version: "",
		model: "",
		compactions: 0,
		context_tokens: null,
		ended: "",
	};
	const lists = {
		facts: [],
		recent_history: [],
		active_tasks: [],
		background_tasks: [],
		approvals: [],
		counted_messages: [],
	};
	return {
		version: 1,
		session_id: "s-1",
		created_at: 0,
		updated_at: 0,
		profile: "default",
		system_state,
		...lists,
		long_term_summary: "",
		folded: { folds: 0, entries: 0, tokens: 0, left_out: null },
		current_plan: null,
		tool_stats: { total_calls: 0, by_tool: {}, failures: 0 },
		token_usage: {},
		last_known_environment: null,
		open_calls: {},
		cursor: { transcript_path: "", transcript_offset: 0, ledger_offset: 0 },
	};
}

const PROFILE: readonly Door[] = ["ccg profile list", "ccg profile use evil --project"];
const profile = (name: string, text: () => string): Hostile => ({
	name: `profile: ${name}`,
	...inStore("profiles/evil.yaml", text),
	doors: PROFILE,
	wordless: true,
	told: /profile .*(?:bound|more than|larger|no YAML|unknown key|must)/i,
});
const profiles: Hostile[] = [
	profile("quotes", () => "'".repeat(256 * KB - 1)),
	profile("double quotes", () => '"'.repeat(256 * KB - 1)),
	profile("quotes, 60 KB", () => "'".repeat(60 * KB)),
	profile("quotes with line breaks", () => "'\n".repeat(30 * KB)),
	profile("flow lists", () => "[".repeat(60 * KB)),
	profile("flow maps", () => "{a: ".repeat(15 * KB)),
	profile("block lists", () => "- ".repeat(30 * KB)),
	profile("question marks", () => "? ".repeat(30 * KB)),
	profile("anchors", () => `a: &a [x]\n${Array.from({ length: 3_000 }, (_, i) => `b${i}: [*a, *a, *a]`).join("\n")}`),
	profile("laughs", () =>
		Array.from(
			{ length: 12 },
			(_, i) =>
				`x${i}: &x${i} [${
					i
						? Array(9)
								.fill(`*x${i - 1}`)
								.join(",")
						: '"lol"'
				}]`,
		).join("\n"),
	),
	profile("keys", () => Array.from({ length: 6_000 }, (_, i) => `k${i}: 1`).join("\n")),
	profile("comments", () => "#\n".repeat(30 * KB)),
	profile("blank lines", () => "\n".repeat(60 * KB)),
	profile("documents", () => "---\n".repeat(15 * KB)),
	profile("deep indentation", () => Array.from({ length: 240 }, (_, i) => `${" ".repeat(i)}k:`).join("\n")),
	profile("20 MB", () => "a: b\n".repeat(4 * MB)),
];

const payloads: Hostile[] = [
	{
		name: "a summary of 10 MB",
		doors: [...WINDOW, "post-compact", "give"],
		fields: { "post-compact": { compact_summary: "word ".repeat(2 * MB) } },
		told: /larger than|bytes/,
	},
	{
		name: "a summary of quotations",
		doors: [...WINDOW, "post-compact", "give"],
		fields: { "post-compact": { compact_summary: `The user said: ${'"aaaa bbbb cccc" '.repeat(200_000)}` } },
	},
	{
		name: "a summary of open quotations",
		doors: [...WINDOW, "post-compact", "give"],
		fields: { "post-compact": { compact_summary: `The user said ${'"a. '.repeat(900_000)}` } },
	},
	{
		name: "a summary of the word user",
		doors: [...WINDOW, "post-compact", "give"],
		fields: { "post-compact": { compact_summary: "user ".repeat(780_000) } },
	},
	{
		name: "a summary of ellipses",
		doors: [...WINDOW, "post-compact", "give"],
		fields: { "post-compact": { compact_summary: `The user said: "${" ".repeat(390)}x" `.repeat(9_000) } },
	},
	{
		name: "custom instructions of 3.9 MB",
		doors: WINDOW,
		fields: { "pre-compact": { custom_instructions: "x".repeat(3.9 * MB) } },
	},
	{ name: "a prompt of 3.9 MB", doors: [...WINDOW, "give"], fields: { give: { prompt: "<".repeat(3.9 * MB) } } },
	{
		name: "a prompt of 12 MB",
		doors: [...WINDOW, "give"],
		fields: { give: { prompt: "x".repeat(12 * MB) } },
		told: /larger than|bytes/,
	},
	{
		name: "a last message of 3.9 MB",
		doors: ["stop"],
		fields: { stop: { last_assistant_message: "x".repeat(3.9 * MB) } },
		wordless: true,
	},
	{
		name: "tool input of 400,000 keys",
		doors: ["pre-tool-use"],
		fields: {
			"pre-tool-use": { tool_input: Object.fromEntries(Array.from({ length: 300_000 }, (_, i) => [`k${i}`, ""])) },
		},
		wordless: true,
	},
	{
		name: "background tasks, 30,000",
		doors: ["stop"],
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
		doors: ["statusline"],
		fields: { statusline: { output_style: { name: "x".repeat(20 * MB) } } },
		wordless: true,
	},
	{
		name: "a status line input of 3 million keys",
		doors: ["statusline"],
		fields: { statusline: Object.fromEntries(Array.from({ length: 900_000 }, (_, i) => [`k${i}`, i])) },
		wordless: true,
	},
	{
		name: "a status line with a model's name of 8 MB",
		doors: ["statusline"],
		fields: { statusline: { model: { id: "claude-".repeat(MB), display_name: "y".repeat(MB) } } },
		wordless: true,
	},
	{
		name: "a cwd of 1 MB",
		doors: [...WINDOW, "stop", "start startup"],
		fields: Object.fromEntries(
			[...WINDOW, "stop", "start startup"].map((door) => [door, { cwd: `/${"a/".repeat(MB / 2)}` }]),
		),
	},
	{
		name: "a transcript path of 1 MB",
		doors: ["stop", "usage"],
		fields: {
			stop: { transcript_path: `/${"a/".repeat(MB / 2)}` },
			usage: { transcript_path: `/${"a/".repeat(MB / 2)}` },
		},
		wordless: true,
	},
];

export const INPUTS: readonly Hostile[] = [...workspace, ...memory, ...store, ...profiles, ...payloads];

/** For the bench: a folder that is gone when its stage is. */
export const isStaged = (at: Stage): boolean => existsSync(at.project);
