import { join } from "node:path";
import { expect, test } from "vitest";
import { terminalGate } from "../../src/cli/support/io.ts";
import { ccg, type Sandbox } from "../kit/sandbox.ts";
import { play, put } from "./kit.ts";
import { ALLOWED, call, says, session, typed } from "./words-fixture.ts";
import MARKS from "./words-marks.json";

/** What a terminal would obey, each with the word it hides or shows. */
const SEQUENCES = MARKS.sequences as [string, string][];
/** Everything a terminal obeys but tab, line feed and our own colours. */
const OBEYED = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\u200b\u2060\u{e0000}-\u{e007f}]/u;

/** A session and a store in which the text stands everywhere. */
async function holding(text: string): Promise<Sandbox> {
	const at = session(
		[
			...call("Bash", { command: `echo ${text}` }, `Exit code 1\n${text}`, { fields: ALLOWED }),
			...call("TaskCreate", { subject: text }, "Task #1 created", { failed: false, fields: ALLOWED }),
			says(text),
		],
		{ ...typed(`Look at ${text}`), cwd: `/home/${text}`, gitBranch: text },
	);
	await play(at, "stop, pre-compact by hand");
	await ccg(at, ["task", "ensure", "--session", at.sid, "--goal", text]);
	put(join(at.store, "MEMORY.md"), `- a note ${text}\n`);
	put(join(at.store, "profiles/mine.json"), JSON.stringify({ description: text }));
	put(join(at.store, "profiles/broken.json"), JSON.stringify({ [text]: [] }));
	put(join(at.store, "config.json"), JSON.stringify({ [text]: 1, guard: { mode: text } }));
	return at;
}

const SHOWS = [
	"status",
	"status --all",
	"show",
	"show --as approvals",
	"show --as report",
	"config",
	"config show mine",
	"memory list --global",
	"task bundle --session SID",
];
const REFUSES = ["TEXT", "config use TEXT", "memory save --target TEXT x", "--TEXT", "show /tmp/TEXT.jsonl"];

test.each(SEQUENCES)("is shown, and not obeyed: %s", async (_, text) => {
	const at = await holding(text);
	const split = (line: string): string[] =>
		line.split(" ").map((word) => word.replace("SID", at.sid).replace("TEXT", () => text));
	for (const line of SHOWS) {
		const { out, err } = await ccg(at, split(line));
		expect(`${out}${err}`, line).not.toMatch(OBEYED);
	}
	for (const line of REFUSES) {
		const { out, err, code } = await ccg(at, split(line));
		expect([line, code]).not.toEqual([line, 0]);
		expect(`${out}${err}`, line).not.toMatch(OBEYED);
	}
	const context_window = { context_window_size: 200_000, current_usage: { input_tokens: 1_000 } };
	const input = { session_id: at.sid, cwd: at.project, model: { id: "x", display_name: text }, context_window };
	const line = await ccg(at, ["statusline"], { input, env: { NO_COLOR: "1" } });
	expect(line.out).not.toMatch(OBEYED);
	// harmless: JSON keeps the same values
	const json = await ccg(at, ["config", "--json"]);
	expect(json.out).not.toMatch(OBEYED);
	const { profiles } = JSON.parse(json.out) as { profiles: { name: string; description: string }[] };
	expect(profiles.find(({ name }) => name === "mine")?.description).toContain("EVIL");
});

test("harmless: our own colours are obeyed, others' are not; words in any script are printed as they are", async () => {
	const { colours, pass } = terminalGate(true);
	expect(pass(`${colours.red("a")} ${colours.bold(colours.dim("b"))} \u001b[32mc`)).toBe(
		"\u001b[31ma\u001b[39m \u001b[1m\u001b[2mb\u001b[22m\u001b[22m \\u001b[32mc",
	);
	expect(pass(colours.green("x\u001b]0;t\u0007"))).toBe("\u001b[32mx\\u001b]0;t\\u0007\u001b[39m");
	const at = session([]);
	put(join(at.store, "MEMORY.md"), "- می‌خواهم 👨‍👩‍👧 ❤️ Zażółć 한국어\n");
	const { out } = await ccg(at, ["memory", "list", "--global"]);
	expect(out).toContain("می‌خواهم 👨‍👩‍👧 ❤️ Zażółć 한국어");
});
