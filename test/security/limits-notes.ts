/** Notes and profiles made to stop a hook or a command. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { projectFolder } from "../../src/store/project.ts";
import { type EntryPoint, type Hostile, put } from "./limits-fixture.ts";

const KB = 1024;
const MB = 1024 * KB;
const inStore = (path: string, content: () => string): Pick<Hostile, "prepare"> => ({
	prepare: (at) => put(join(at.store, path), content()),
});
const ofProject = (path: string, content: () => string): Pick<Hostile, "prepare"> => ({
	prepare: (at) => put(join(projectFolder(at.store, at.project), path), content()),
});

const STARTS: readonly EntryPoint[] = ["start startup", "start clear"];
const LISTS: readonly EntryPoint[] = ["ccg memory list", "ccg memory show"];

const memory: Hostile[] = [
	{
		name: "MEMORY.md of 15 MB, one line",
		...ofProject("MEMORY.md", () => "x".repeat(15 * MB)),
		entries: [...STARTS, ...LISTS],
		wordless: true,
		told: /left out|more than|larger/i,
	},
	{
		name: "MEMORY.md of 15 MB, blank lines",
		...ofProject("MEMORY.md", () => "\n".repeat(15 * MB)),
		entries: [...STARTS, ...LISTS],
		wordless: true,
	},
	{
		name: "MEMORY.md of 15 MB, notes",
		...ofProject("MEMORY.md", () => "- a\n".repeat(4 * MB)),
		entries: [...STARTS, ...LISTS],
		wordless: true,
		told: /left out/i,
	},
	{
		name: "MEMORY.md of 15 MB, an open fence",
		...ofProject("MEMORY.md", () => `\`\`\`\n${"a\n".repeat(7 * MB)}`),
		entries: STARTS,
		wordless: true,
		told: /left out/i,
	},
	{
		name: "MEMORY.md of 15 MB, headings",
		...ofProject("MEMORY.md", () => "# a\n- b\n".repeat(2 * MB)),
		entries: STARTS,
		wordless: true,
		told: /left out/i,
	},
	{
		name: "MEMORY.md of 15 MB, terminal codes",
		...ofProject("MEMORY.md", () => "\u001b[".repeat(7 * MB)),
		entries: STARTS,
		wordless: true,
	},
	{
		name: "MEMORY.md of 100 MB",
		...ofProject("MEMORY.md", () => "- 0123456789\n".repeat(8 * MB)),
		entries: [...STARTS, "ccg memory list"],
		wordless: true,
		told: /left out/i,
	},
	{
		name: "global MEMORY.md of 15 MB",
		...inStore("MEMORY.md", () => "- a note of some words\n".repeat(680 * KB)),
		entries: STARTS,
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
		entries: [...STARTS, "ccg memory list"],
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
		entries: [...STARTS],
		wordless: true,
	},
	{
		name: "native MEMORY.md of 40 MB",
		prepare: (at) =>
			put(
				join(at.home, ".claude", "projects", at.project.replace(/[^A-Za-z0-9]/g, "-"), "memory", "MEMORY.md"),
				"- a\n".repeat(10 * MB),
			),
		entries: ["pre-compact", "start compact", "ccg memory list"],
	},
];

const PROFILE: readonly EntryPoint[] = ["ccg profile list", "ccg profile use evil --project"];
const profile = (name: string, text: () => string): Hostile => ({
	name: `profile: ${name}`,
	...inStore("profiles/evil.yaml", text),
	entries: PROFILE,
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

export const NOTES: readonly Hostile[] = [...memory, ...profiles];
