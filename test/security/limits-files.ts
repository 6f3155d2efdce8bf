/** Files of the store and the workspace, and what comes with an event, made to stop a hook or a command. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { emptySnapshot } from "../../src/core/context/session-context.ts";
import { projectFolder } from "../../src/store/project.ts";
import { changeCycle } from "../../src/store/session/cycles.ts";
import { writeRecord } from "../../src/store/session/records.ts";
import { sessionAt } from "../../src/store/session-handle.ts";
import type { Sandbox } from "../kit/sandbox.ts";
import { storeAt } from "../kit/store.ts";
import { COMPACTION, call, type EntryPoint, type Hostile, put, talk } from "./limits-fixture.ts";

const KB = 1024;
const MB = 1024 * KB;
const STARTS: readonly EntryPoint[] = ["start startup", "start clear"];
const NOTES: readonly EntryPoint[] = [...STARTS, "ccg memory list", "ccg memory list memory"];
const WINDOW: readonly EntryPoint[] = ["pre-compact", "start compact"];
const HOOKS: readonly EntryPoint[] = [...WINDOW, "pre-tool-use", "statusline", "ccg status"];
const PROFILE: readonly EntryPoint[] = ["ccg config", "ccg config use evil"];
const nest = (n: number, open = "[", close = "]"): string => open.repeat(n) + close.repeat(n);
const keys = (n: number): string =>
	JSON.stringify(Object.fromEntries(Array.from({ length: n }, (_, i) => [`k${i}`, i])));

/** Where a file lies, by the first sign of its name: `~` home, `#` the project's folder in the store, `.` the workspace, else the store. */
function placeOf(at: Sandbox, name: string): string {
	if (name.startsWith("~/")) return join(at.home, name.slice(2));
	if (name.startsWith("#/")) return join(projectFolder(at.store, at.project), name.slice(2));
	return name.startsWith("./") ? join(at.project, name.slice(2)) : join(at.store, name.replace("SID", at.sid));
}

type File = [what: string, name: string, text: () => string, entries: readonly EntryPoint[], told?: RegExp];
const LEFT_OUT = /left out|more than|larger|not all fit/i;
/** The start of a session and commands give no words of the conversation. */
const isWordless = (entries: readonly EntryPoint[]): boolean => !entries.includes("start compact");

const FILES: File[] = [
	["of 15 MB, one line", "#/MEMORY.md", () => "x".repeat(15 * MB), NOTES, LEFT_OUT],
	["of 15 MB, blank lines", "#/MEMORY.md", () => "\n".repeat(15 * MB), NOTES],
	["of 100 MB, notes", "#/MEMORY.md", () => "- 0123456789\n".repeat(8 * MB), NOTES, LEFT_OUT],
	["of 15 MB, an open fence", "#/MEMORY.md", () => `\`\`\`\n${"a\n".repeat(7 * MB)}`, STARTS, LEFT_OUT],
	["of 15 MB, headings", "#/MEMORY.md", () => "# a\n- b\n".repeat(2 * MB), STARTS, LEFT_OUT],
	["of 15 MB", "MEMORY.md", () => "- a note of some words\n".repeat(680 * KB), STARTS, LEFT_OUT],
	["of a million lines", "#/log/2026-01-01.md", () => "- 10:00 something was done\n".repeat(MB), STARTS, LEFT_OUT],
	["of 15 MB, keys", "config.json", () => keys(900_000), HOOKS],
	["of 15 MB, one key", "config.json", () => JSON.stringify({ nudge: { wording: "x".repeat(15 * MB) } }), HOOKS],
	["nested", "config.json", () => `{"a":${nest(2 * MB)}}`, HOOKS],
	["with open brackets", "config.json", () => "[".repeat(8 * MB), HOOKS],
	[
		"of 15 MB",
		"run/pressure/SID",
		() => JSON.stringify({ at: "x", cwd: "x".repeat(15 * MB) }),
		["statusline", "pre-tool-use"],
	],
	[
		"of 15 MB",
		"profiles/chosen/session-SID.json",
		() => `{"name":"big","config":${keys(900_000)}}`,
		[...WINDOW, "statusline"],
	],
	[
		"of 15 MB",
		"sessions/SID/task-state.json",
		() => JSON.stringify({ version: 1, goal: "x".repeat(15 * MB) }),
		["ccg task status", "pre-tool-use"],
	],
	[
		"nested",
		"sessions/SID/task-state.json",
		() => `{"version":1,"goal":${nest(MB)}}`,
		["ccg task status", "ccg status"],
	],
	["quotes", "profiles/evil.yaml", () => "'".repeat(256 * KB - 1), PROFILE, /profile/],
	["quotes with line breaks", "profiles/evil.yaml", () => "'\n".repeat(30 * KB), PROFILE, /profile/],
	["flow lists", "profiles/evil.yaml", () => "[".repeat(60 * KB), PROFILE, /profile/],
	["flow maps", "profiles/evil.yaml", () => "{a: ".repeat(15 * KB), PROFILE, /profile/],
	["block lists", "profiles/evil.yaml", () => "- ".repeat(30 * KB), PROFILE, /profile/],
	["anchors", "profiles/evil.yaml", () => `a: &a [x]\n${"b: [*a, *a, *a]\n".repeat(3_000)}`, PROFILE, /profile/],
	["laughs", "profiles/evil.yaml", laughs, PROFILE, /profile/],
	[
		"deep indentation",
		"profiles/evil.yaml",
		() => Array.from({ length: 240 }, (_, i) => `${" ".repeat(i)}k:`).join("\n"),
		PROFILE,
		/profile/,
	],
	["20 MB", "profiles/evil.yaml", () => "a: b\n".repeat(4 * MB), PROFILE, /profile/],
	["of blank lines", "./.active-plan.md", () => "\n".repeat(256 * KB), COMPACTION],
	["of tabs behind a goal", "./.active-plan.md", () => `**Goal**:${"\t\n".repeat(127 * KB)}`, WINDOW],
	["of goals", "./.active-plan.md", () => "**Goal**:".repeat(28 * KB), WINDOW],
	["of digits", "./.active-plan.md", () => "1".repeat(256 * KB), WINDOW],
	["of steps", "./.active-plan.md", () => "1. a\n".repeat(51 * KB), WINDOW],
	["of line separators", "./.active-plan.md", () => "\u2028".repeat(85 * KB), WINDOW],
	["of [in-progress", "./.active-plan.md", () => "[in-progress".repeat(21 * KB), WINDOW],
	["of 30 MB", "./.active-plan.md", () => "- step\n".repeat(4 * MB), WINDOW],
	["of rules", "./skills/failure-recovery/failure-log.md", () => "---\n".repeat(64 * KB), WINDOW],
	["of rules and blanks", "./skills/failure-recovery/failure-log.md", () => `---${" ".repeat(255 * KB)}x`, WINDOW],
	["of comment openers", "./CLAUDE.md", () => "<!--".repeat(64 * KB), COMPACTION],
	["of the user's letters", "./CLAUDE.md", () => "Never touch t".repeat(19 * KB), COMPACTION],
	["of 40 MB", "./CLAUDE.md", () => "# rule\n".repeat(6 * MB), WINDOW],
	["of comment openers", "./CLAUDE.local.md", () => "<!-".repeat(85 * KB), WINDOW],
];

function laughs(): string {
	const row = (i: number): string => (i === 0 ? '"lol"' : `*x${i - 1},`.repeat(9));
	return Array.from({ length: 12 }, (_, i) => `x${i}: &x${i} [${row(i)}]`).join("\n");
}

const files = FILES.map(
	([what, name, text, entries, told]): Hostile => ({
		name: `${name} ${what}`,
		prepare: (at) => put(placeOf(at, name), text()),
		entries,
		...(told && { told }),
		...(isWordless(entries) && { wordless: true }),
	}),
);

const many = (folder: string, count: number, nameOf: (i: number) => string): Pick<Hostile, "name" | "prepare"> => ({
	name: `${folder} of ${count} files`,
	prepare(at) {
		const place = placeOf(at, folder);
		mkdirSync(place, { recursive: true });
		for (let i = 0; i < count; i++) writeFileSync(join(place, nameOf(i)), "");
	},
});
const folders: Hostile[] = [
	{ ...many("sessions/SID", 20_000, (i) => `.x${i}.tmp`), entries: [...COMPACTION, "stop"] },
	{ ...many("./many", 20_000, (i) => `${"n".repeat(200)}${i}`), entries: WINDOW },
	{
		...many("#/log", 20_000, (i) => `${new Date(2e11 + i * 86_400_000).toISOString().slice(0, 10)}.md`),
		entries: STARTS,
		wordless: true,
	},
	{
		name: "a record and a cycle of 15 MB",
		prepare(at) {
			const session = sessionAt(storeAt(at.store), at.sid);
			const record = emptySnapshot(at.sid, 0);
			const text = "m never x ".repeat(1_500_000);
			record.state.messages.push({ at: "", order: 1, source: "typed", text });
			record.cursor.transcript_path = at.transcript;
			writeRecord(session, { record, number: 0, text: "" });
			changeCycle(session, (cycle) => {
				cycle.agents = [{ id: "", type: "", said: text, at: "" }];
			});
		},
		entries: COMPACTION,
	},
	{
		name: "names made to be looked for, CLAUDE.md of their letters",
		prepare(at) {
			const name = `${"a/".repeat(60)}x`;
			talk(
				at,
				Array.from({ length: 400 }, (_, i) => call("Read", { file_path: `${at.project}/${name}${i}` }, i)),
			);
			put(join(at.project, "CLAUDE.md"), "a/".repeat(127 * KB));
		},
		entries: COMPACTION,
	},
];

type Field = [what: string, entry: EntryPoint, fields: () => object, told?: RegExp];
const BIG = /larger than|bytes/;
/** Fields of an event, by its entry. */
const FIELDS: Field[] = [
	["a summary of 10 MB", "post-compact", () => ({ compact_summary: "word ".repeat(2 * MB) }), BIG],
	[
		"a summary of quotations",
		"post-compact",
		() => ({ compact_summary: `The user said: ${'"aaaa bbbb" '.repeat(300_000)}` }),
	],
	[
		"a summary of open quotations",
		"post-compact",
		() => ({ compact_summary: `The user said ${'"a. '.repeat(900_000)}` }),
	],
	["a summary of the word user", "post-compact", () => ({ compact_summary: "user ".repeat(780_000) })],
	["instructions of 3.9 MB", "pre-compact", () => ({ custom_instructions: "x".repeat(3.9 * MB) })],
	["a prompt of 3.9 MB", "user-prompt-submit", () => ({ prompt: "<".repeat(3.9 * MB) })],
	["a prompt of 12 MB", "user-prompt-submit", () => ({ prompt: "x".repeat(12 * MB) }), BIG],
	["a last message of 3.9 MB", "stop", () => ({ last_assistant_message: "x".repeat(3.9 * MB) })],
	["input of 300,000 keys", "pre-tool-use", () => ({ tool_input: JSON.parse(keys(300_000)) })],
	["a status line input of 20 MB", "statusline", () => ({ output_style: { name: "x".repeat(20 * MB) } })],
	["a status line input of many keys", "statusline", () => JSON.parse(keys(900_000))],
	["a model's name of 8 MB", "statusline", () => ({ model: { id: "claude-".repeat(MB), display_name: "y" } })],
	["a cwd of 1 MB", "start startup", () => ({ cwd: `/${"a/".repeat(MB / 2)}` })],
	["a transcript path of 1 MB", "post-tool-batch", () => ({ transcript_path: `/${"a/".repeat(MB / 2)}` })],
];
const payloads = FIELDS.map(([name, entry, fields, told]): Hostile => {
	const isInCompaction = COMPACTION.includes(entry);
	return {
		name,
		entries: isInCompaction ? [...new Set<EntryPoint>([...WINDOW, entry, "user-prompt-submit"])] : [entry],
		fields: { [entry]: fields() },
		...(told && { told }),
		...(!isInCompaction && { wordless: true }),
	};
});

export const STORED: readonly Hostile[] = [...files, ...folders, ...payloads];
