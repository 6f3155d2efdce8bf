import { expect, test } from "vitest";
import type { TranscriptEvent } from "../../src/core/transcript/event.ts";
import { passageMaker, textPassages, type WaitingCall } from "../../src/search/passages.ts";
import { at, call, message } from "../kit/session-events.ts";

const passages = (events: TranscriptEvent[], waiting = new Map<string, WaitingCall>()) =>
	passageMaker(waiting)({ pos: 7, uuid: "u", events });

test("a message, prose and a call with its result become passages with time, kind, tool and path", () => {
	const [open, result] = call("Read", { file_path: "/p/a.ts" }, "line one\nline two");
	const waiting = new Map<string, WaitingCall>();
	expect(passages([message("do this"), { kind: "said", at, text: "I will" }, open!], waiting)).toMatchObject([
		{ pos: 7, part: 0, kind: "user", text: "do this", at: Date.parse(at) / 1000 },
		{ pos: 7, part: 1, kind: "agent", text: "I will" },
	]);
	expect(waiting.size).toBe(1);
	expect(passages([result!], waiting)).toMatchObject([
		{ kind: "call", tool: "Read", path: "/p/a.ts", text: "Read\nfile_path: /p/a.ts\n→ line one\nline two" },
	]);
	expect(waiting.size).toBe(0);
});

test("of ccg's own commands and calls nothing is found, nor of what they answered", () => {
	const told = (by: "host" | "output", text: string): TranscriptEvent => ({ kind: "told", at, by, text });
	for (const own of [
		call("Bash", { command: "ccg recall port | head -40" }, "Found: the old words"),
		call("mcp__ccg__save_memory", { text: "Use port 4711" }, "saved"),
		[message("/ccg:recall port"), told("host", "Look it up.\n\n    '/opt/my tools/ccg' recall -- 'WORDS'\n")],
		[message("! ccg status"), told("output", "<bash-stdout>calm</bash-stdout>")],
	])
		expect(passages(own)).toEqual([]);
	for (const other of [
		call("Bash", { command: "ccg recall port; make" }, "built"),
		[message("/review the relay")],
		[message("! make"), told("output", "<bash-stdout>built</bash-stdout>")],
		[told("host", "Base directory for this skill: /s\n\nRun `make` and read `ccg`'s guide.")],
	])
		expect(passages(other)).not.toEqual([]);
});

test("an edit says what changed, whatever its tool is called; a failed one why it failed", () => {
	const [before, after] = ["one\ntwo\nthree", "one\n2\nthree\n\nfour"];
	const textOf = (tool: string, input: Record<string, unknown>, result = "updated", failed = false) =>
		passages(call(tool, input, result, failed))[0]!.text;
	const edit = { file_path: "/p/a.ts", old_string: before, new_string: after, replace_all: true };
	for (const tool of ["Edit", "mcp__acp__Edit"])
		expect(textOf(tool, edit)).toBe(`${tool} /p/a.ts\n@ one\n@ three\n- two\n+ 2\n+ four`);
	const edits = [
		{ old_string: "a", new_string: "b" },
		{ old_string: "c\nd", new_string: "d" },
	];
	expect(textOf("MultiEdit", { file_path: "/p/a.ts", edits })).toBe("MultiEdit /p/a.ts\n- a\n+ b\n@ d\n- c");
	expect(textOf("NotebookEdit", { notebook_path: "/p/n.ipynb", cell_id: "7", new_source: "x = 1" })).toBe(
		"NotebookEdit /p/n.ipynb\n+ x = 1",
	);
	expect(textOf("mcp__acp__Write", { file_path: "/p/v.html", content: "<b>\n" })).toBe(
		"mcp__acp__Write /p/v.html\n+ <b>",
	);
	expect(textOf("mcp__acp__Bash", { command: "make" }, "built")).toBe("$ make\n→ built");
	const why = `String to replace not found in file.\nString: ${before}`;
	expect(textOf("Edit", edit, why, true)).toMatch(/\n\+ four\n→ failed: String to replace not found in file\.$/);
	const key = `-----BEGIN RSA PRIVATE KEY-----\n${"MIIEowIBAAKCAQEA75xYzkq\n".repeat(20)}-----END RSA PRIVATE KEY-----\n`;
	expect(textOf("Write", { file_path: "/p/key", content: key })).not.toContain("MIIE");
});

test("what the user refused says so in few words", () => {
	const refusal =
		"The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file).";
	const textOf = (said: string) => passages(call("Bash", { command: "git push" }, `${refusal}${said}`, true))[0]!.text;
	expect(textOf(" To tell you how to proceed, the user said:\npull rebase first")).toBe(
		"$ git push\n→ failed: refused by the user: pull rebase first",
	);
	expect(textOf(" STOP what you are doing.")).toBe("$ git push\n→ failed: refused by the user");
});

test("a question to the user says what may be answered, others are told as whose they are", () => {
	const options = [{ label: "SQLite", description: "one file" }, { label: "Postgres" }, null, 7];
	const asked = call(
		"AskUserQuestion",
		{ questions: [{ question: "Which store?", options }, null] },
		'"Which store?"="SQLite"',
	);
	expect(passages(asked)).toMatchObject([{ kind: "answer" }]);
	expect(passages(asked)[0]!.text).toMatch(
		/^AskUserQuestion\nWhich store\?\n- SQLite: one file\n- Postgres\n[\s\S]*\n→ "Which/,
	);
	const told = (by: "hook" | "teammate") => passages([{ kind: "told", at, by, text: "Done." }]);
	expect([...told("hook"), ...told("teammate")]).toMatchObject([{ kind: "hook" }, { kind: "teammate" }]);
});

test("a long text is cut between paragraphs, and nothing of it is lost; of a long result both ends are kept", () => {
	const words = Array.from({ length: 1_500 }, (_, i) => `word${i}`);
	const text = words.map((word, i) => (i % 40 === 39 ? `${word}\n\n` : `${word} `)).join("");
	const found = passages([message(text)]);
	expect(found.length).toBeGreaterThan(5);
	expect(found.map((one) => one.part)).toEqual(found.map((_, i) => i));
	expect(found.map((one) => one.text).join("")).toBe(text.trim());
	const result = passages(call("Bash", { command: "x" }, `FIRST ${"m".repeat(90_000)} LAST`));
	expect([result[0]!.text, result.at(-1)!.text].join()).toMatch(/FIRST[\s\S]*LAST/);
	for (const one of result) expect(one.text.length).toBeLessThan(2_000);
});

test("a secret is gone before anything is cut, wherever the cut falls", () => {
	const secret = `ghp_${"a1B2".repeat(9)}`;
	for (let before = 1_380; before < 1_460; before += 7) {
		const text = `${"x ".repeat(before)}token ${secret} end ${"y ".repeat(3_000)}`;
		const all = [...passages([message(text)]), ...passages(call("Bash", { command: text }, text))];
		expect(all.map((one) => one.text).join("\n")).not.toMatch(/ghp_|a1B2a1B2/);
	}
	const named = passages(call("Custom", { password: "hunter2hunter2" }));
	expect(named[0]!.text).not.toContain("hunter2");
});

test("inputs of any shape are survived", () => {
	let deep: unknown = "end";
	for (let i = 0; i < 5_000; i++) deep = { deep };
	const wide = Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`k${i}`, "v".repeat(100)]));
	for (const input of [{ deep }, wide, { file_path: 7, list: [null, undefined, 1n.toString()] }, {}])
		expect(
			passages(call("X", input as Record<string, unknown>))
				.map((one) => one.text)
				.join("").length,
		).toBeLessThan(6_000);
});

test("a file's passages stand where their text begins", () => {
	const text = `# Head\n\n${"first ".repeat(300)}\n\n${"second ".repeat(300)}\n`;
	const found = textPassages(text, { kind: "note", at: 5 });
	expect(found.length).toBeGreaterThan(1);
	for (const { pos, text: own } of found) expect(text.startsWith(own, pos)).toBe(true);
});
