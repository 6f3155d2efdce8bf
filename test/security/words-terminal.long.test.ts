import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { ccg, hook, type Sandbox, sandbox } from "../kit/sandbox.ts";
import { load } from "./kit.ts";
import { ALLOWED, call, says, session, typed } from "./words-fixture.ts";

/** What a terminal would obey, each with the word it hides or shows. */
const SEQUENCES: [string, string][] = [
	["colours", "\u001b[31mEVIL\u001b[0m"],
	["clears the screen", "\u001b[2J\u001b[HEVIL"],
	["a title", "\u001b]0;EVIL\u0007"],
	["a link", "\u001b]8;;http://evil.example\u001b\\EVIL\u001b]8;;\u001b\\"],
	["the clipboard", "\u001b]52;c;RVZJTA==\u0007EVIL"],
	["an open sequence", "\u001b]0;EVIL"],
	["a device's string", "\u001bP+q544e\u001b\\EVIL"],
	["C1", "\u009b31mEVIL\u009d0;x\u009c"],
	["a carriage return", "good\rEVIL"],
	["backspaces", "good\b\b\b\bEVIL"],
	["a bell and a delete", "EVIL\u0007\u007f"],
	["bidirectional marks", "\u202eLIVE\u202c EVIL"],
	["hidden characters", "E\u200bV\u2060IL EVIL"],
	["tags", "EVIL\u{e0041}\u{e0042}"],
];
/** Everything a terminal obeys but tab, line feed and our own colours. */
const OBEYED = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\u200b\u2060\u{e0000}-\u{e007f}]/u;

function put(at: Sandbox, path: string, text: string): void {
	const file = join(at.store, path);
	mkdirSync(dirname(file), { recursive: true });
	writeFileSync(file, text);
}

async function lived(text: string): Promise<Sandbox> {
	const at = session(
		[
			...call("Bash", { command: `echo ${text}` }, `Exit code 1\n${text}`, { fields: ALLOWED }),
			...call("TaskCreate", { subject: text }, "Task #1 created", { failed: false, fields: ALLOWED }),
			says(text),
		],
		{ ...typed(`Look at ${text}`), cwd: `/home/${text}`, gitBranch: text },
	);
	await hook(at, "stop", { hook_event_name: "Stop" });
	await hook(at, "pre-compact", { hook_event_name: "PreCompact", trigger: "manual" });
	return at;
}

test.each(SEQUENCES)("what a session brought is shown, not obeyed: %s", async (_, text) => {
	const at = await lived(text);
	for (const args of [
		["status"],
		["status", "--all"],
		["show"],
		["show", at.transcript],
		["show", "--as", "approvals"],
		["show", "--as", "report"],
	]) {
		const { out, err } = await ccg(at, args);
		expect(`${out}${err}`).not.toMatch(OBEYED);
	}
});

test.each(SEQUENCES)("files of the store and of others: %s", async (_, text) => {
	const at = sandbox("terminal");
	put(at, "MEMORY.md", `- a note ${text}\n`);
	put(at, "profiles/mine.yaml", `description: ${JSON.stringify(text)}\n`);
	put(at, "profiles/broken.yaml", `${JSON.stringify(text)}: [\n`);
	put(at, "config.json", JSON.stringify({ [text]: 1, guard: { mode: text } }));
	await ccg(at, ["task", "ensure", "--session", "s-1", "--goal", text]);
	for (const args of [
		["config"],
		["config", "show", "mine"],
		["memory", "list"],
		["memory", "list", "memory", "--global"],
		["task", "status", "--session", "s-1"],
		["task", "bundle", "--session", "s-1"],
		["status"],
	]) {
		const { out, err } = await ccg(at, args);
		expect(`${out}${err}`).not.toMatch(OBEYED);
	}
});

test.each(SEQUENCES.filter(([, text]) => !text.includes("\u0000")))(
	"errors name what was given, shown: %s",
	async (_, text) => {
		const at = sandbox("terminal");
		for (const args of [
			[text],
			["status", text],
			["config", "use", text],
			["memory", "list", text],
			["memory", "save", "--target", text, "x"],
			[`--${text}`],
			["show", `/tmp/${text}.jsonl`],
			["task", "status", "--session", text],
		]) {
			const { out, err, code } = await ccg(at, args);
			expect(code).not.toBe(0);
			expect(`${out}${err}`).not.toMatch(OBEYED);
		}
	},
);

test.each(SEQUENCES)("the status line's own part: %s", async (_, text) => {
	const at = sandbox("terminal");
	const input = {
		session_id: "s-1",
		transcript_path: at.transcript,
		cwd: at.project,
		model: { id: "claude-opus-5-5", display_name: text },
		workspace: { current_dir: at.project, project_dir: at.project },
		version: "2.1.329",
		context_window: { context_window_size: 200_000, current_usage: { input_tokens: 1_000 } },
	};
	const { out } = await ccg(at, ["statusline"], { input: JSON.stringify(input), env: { NO_COLOR: "1" } });
	expect(out).not.toMatch(OBEYED);
});

describe("what people need", () => {
	test("harmless: JSON stays JSON with the same values", async () => {
		for (const [, text] of SEQUENCES) {
			const at = sandbox("terminal");
			put(at, "profiles/mine.yaml", `description: ${JSON.stringify(text)}\n`);
			const { out } = await ccg(at, ["config", "--json"]);
			expect(out).not.toMatch(OBEYED);
			const { profiles } = JSON.parse(out) as { profiles: { name: string; description: string }[] };
			const mine = profiles.find(({ name }) => name === "mine")!;
			expect(mine.description).toContain("EVIL");
		}
	});

	test("harmless: our own colours are obeyed, others' are not", async () => {
		const { terminalGate } = await load<typeof import("../../src/cli/support/io.ts")>("src/cli/support/io.ts");
		const { colours: c, pass } = terminalGate(true);
		expect(pass(`${c.red("a")} ${c.bold(c.dim("b"))} \u001b[32mc`)).toBe(
			"\u001b[31ma\u001b[39m \u001b[1m\u001b[2mb\u001b[22m\u001b[22m \\u001b[32mc",
		);
		expect(c.green("x\u001b]0;t\u0007")).not.toContain("\u001b]0;t\u0007\u001b");
		expect(pass(c.green("x\u001b]0;t\u0007"))).toBe("\u001b[32mx\\u001b]0;t\\u0007\u001b[39m");
		const plain = terminalGate(false);
		expect(plain.pass(plain.colours.red("a"))).toBe("a");
	});

	test("harmless: words in any script are printed as they are", async () => {
		const at = sandbox("terminal");
		put(at, "MEMORY.md", "- می‌خواهم 👨‍👩‍👧 ❤️ Zażółć 한국어\n");
		expect((await ccg(at, ["memory", "list", "memory", "--global"])).out).toContain("می‌خواهم 👨‍👩‍👧 ❤️ Zażółć 한국어");
	});
});
