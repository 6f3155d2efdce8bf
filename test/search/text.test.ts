import { expect, test } from "vitest";
import type { TranscriptEvent } from "../../src/core/transcript/event.ts";
import { passageMaker, textPassages, type WaitingCall } from "../../src/search/passages.ts";
import { queryTerms } from "../../src/search/words.ts";
import { at, call, message } from "../kit/session-events.ts";

const passages = (events: TranscriptEvent[], waiting = new Map<string, WaitingCall>()) =>
	passageMaker(waiting)({ pos: 7, uuid: "u", events });

test("a message, prose and a call with its result become passages with time, kind, tool and path", () => {
	const [open, result] = call("Read", { file_path: "/p/a.ts" }, "line one\nline two") as [
		TranscriptEvent,
		TranscriptEvent,
	];
	const waiting = new Map<string, WaitingCall>();
	expect(passages([message("do this"), { kind: "said", at, text: "I will" }, open], waiting)).toMatchObject([
		{ pos: 7, part: 0, kind: "user", text: "do this", at: Date.parse(at) / 1000 },
		{ pos: 7, part: 1, kind: "agent", text: "I will" },
	]);
	expect(waiting.size).toBe(1);
	expect(passages([result], waiting)).toMatchObject([
		{ kind: "call", tool: "Read", path: "/p/a.ts", text: "Read\nfile_path: /p/a.ts\n→ line one\nline two" },
	]);
	expect(waiting.size).toBe(0);
});

test("what recall answered is in the index already; a command that does more is not theirs", () => {
	const of = (command: string) =>
		passages(call("Bash", { command, description: "Look it up" }, "Found: the old words"));
	for (const own of [
		"ccg recall why was it raised",
		"'/opt/my tools/bin/ccg' recall port",
		"/opt/ccg/bin/ccg recall --all port | head -40",
		'cd "/my work" && CCG_HOME=/s "/opt/my tools/ccg" recall -- \'this; or & that\' 2>&1 | grep -E "a|b" | sed -n 1,9p',
	])
		expect(of(own)).toEqual([]);
	for (const other of [
		"ccg recall port; make",
		"make && ccg recall port",
		"ccg recall port\nmake",
		"ccg index --rebuild",
		'rg "ccg recall" docs/',
		'git commit -m "document ccg recall"',
		"npm test -- ccg recall.test",
		"ccg recall.test",
		"ccg recall port | python3 build.py",
		"ccg recall port | head && make",
		"echo $(ccg recall port | xargs cat config.yaml)",
	])
		expect(of(other)).toHaveLength(1);
	for (const name of ["mcp__ccg__recall", "mcp__plugin_ccg_ccg__read_passage"])
		expect(passages(call(name, { query: "port" }, "Found: the old words"))).toEqual([]);
	expect(passages(call("mcp__ccg__save_memory", { text: "Use port 4711" }, "saved"))).toHaveLength(1);
});

test("an edit says what changed, a question to the user what may be answered, others are told as whose they are", () => {
	const edit = { file_path: "/p/a.ts", old_string: "one\ntwo\nthree", new_string: "one\n2\nthree", replace_all: true };
	expect(passages(call("Edit", edit, "updated"))[0]!.text).toBe(
		"Edit\nfile_path: /p/a.ts\nreplace_all: true\n  one\n- two\n+ 2\n  three\n→ updated",
	);
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

test("a long result keeps its beginning and its end", () => {
	const [one, ...rest] = passages(call("Bash", { command: "x" }, `FIRST ${"m".repeat(90_000)} LAST`));
	expect(one!.text).toContain("FIRST");
	expect(rest.at(-1)!.text).toContain("LAST");
	expect([one, ...rest].map((each) => each!.text.length).every((length) => length < 2_000)).toBe(true);
});

test("a long text is cut between paragraphs, and nothing of it is lost", () => {
	const words = Array.from({ length: 1_500 }, (_, i) => `word${i}`);
	const text = words.map((word, i) => (i % 40 === 39 ? `${word}\n\n` : `${word} `)).join("");
	const found = passages([message(text)]);
	expect(found.length).toBeGreaterThan(5);
	expect(found.map((one) => one.part)).toEqual(found.map((_, i) => i));
	expect(found.map((one) => one.text).join("")).toBe(text.trim());
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

test("each thing once, and a huge query in bounded time", () => {
	expect(queryTerms("Lock lock LOCK")).toHaveLength(1);
	expect(queryTerms(Array.from({ length: 300_000 }, (_, i) => `w${i}`).join(" ")).length).toBeLessThanOrEqual(49);
});
