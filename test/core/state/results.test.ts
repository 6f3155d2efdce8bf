import { describe, expect, test } from "vitest";
import type { TranscriptEvent } from "../../../src/core/transcript/event.ts";
import { at, call, message, stateOf } from "../../kit/session-events.ts";

describe("files, commands and failures", () => {
	test("files count edits and reads, the last used last", () => {
		const state = stateOf(
			call("Read", { file_path: "/p/a" }),
			call("Edit", { file_path: "/p/b" }),
			call("Edit", { file_path: "/p/a" }),
		);
		expect(state.files).toMatchObject([
			{ path: "/p/b", edits: 1, reads: 0 },
			{ path: "/p/a", edits: 1, reads: 1 },
		]);
	});
	test("a failure is resolved by the same thing succeeding", () => {
		const failing = call("Bash", { command: "make test" }, "Exit code 2\nboom", true);
		expect(stateOf(failing).failures).toMatchObject([{ subject: "Bash make test", resolved: false }]);
		expect(stateOf(failing, call("Bash", { command: "make" })).failures).toMatchObject([{ resolved: false }]);
		expect(stateOf(failing, call("Bash", { command: "make test" })).failures).toMatchObject([{ resolved: true }]);
	});
	test("commands keep their outcome", () => {
		expect(stateOf(call("Bash", { command: "a" }), call("Bash", { command: "b" }, "no", true)).commands).toMatchObject([
			{ command: "a", failed: false },
			{ command: "b", failed: true },
		]);
	});
	test("a boundary keeps everything but the tokens", () => {
		const usage: TranscriptEvent = { kind: "usage", messageId: "m", model: "claude-opus-5-5", tokens: 9 };
		const state = stateOf(message("Never push."), usage, {
			kind: "boundary",
			at,
			uuid: "u",
			trigger: "auto",
			preTokens: 9,
			postTokens: null,
		});
		expect(state).toMatchObject({ tokens: null, boundaries: 1, model: "claude-opus-5-5" });
		expect(state.messages).toHaveLength(1);
	});
});

test.each(["ccg halt gate", "ccg guard"])("a refusal of %s is no failure, and the refused edit no edit", (who) => {
	const refusal = `PreToolUse:Edit hook error: STATUS:HALT_CONTEXT_LIMIT\n${who}: the context holds 90,000 of 100,000 tokens`;
	const state = stateOf(
		call("Edit", { file_path: "/p/a.ts", old_string: "a", new_string: "b" }, refusal, true),
		call("Bash", { command: "make all" }, refusal, true),
	);
	expect([state.failures, state.commands, state.files.filter(({ edits }) => edits > 0), state.open]).toEqual([
		[],
		[],
		[],
		{},
	]);
});

describe("failures that are none, or were made good", () => {
	const bash = (command: string, text?: string): TranscriptEvent[] =>
		call("Bash", { command }, text === undefined ? "ok" : `Exit code 1\n${text}`, text !== undefined);
	const open = (...events: TranscriptEvent[][]): string[] =>
		stateOf(...events)
			.failures.filter(({ resolved }) => !resolved)
			.map(({ subject }) => subject);
	test.each<[string, TranscriptEvent[][]]>([
		["grep without a hit", [bash("grep -rn frobnicate src", "")]],
		["behind a cd", [bash("cd /p && rg -n 'a|b' src | head -5", "")]],
		["ls of a missing file", [bash("ls -la dist", "ls: cannot access 'dist': No such file or directory")]],
		["a question answered with no", [bash("test -f dist/app.js", ""), bash("[ -d dist ] && ls dist", "")]],
		["two files that differ", [bash("diff a.txt b.txt", "1c1\n< a\n---\n> b")]],
		[
			"cat of a file found elsewhere",
			[bash("cat app.log", "cat: app.log: No such file or directory"), bash("cat logs/app.log")],
		],
		[
			"cat of a file written later",
			[bash("cat notes.md", "cat: notes.md: No such file or directory"), call("Write", { file_path: "/p/notes.md" })],
		],
		[
			"cd to a missing folder",
			[
				bash("cd pakages/a && npm test", "/bin/bash: line 1: cd: pakages/a: No such file or directory"),
				bash("cd packages/a && npm test"),
			],
		],
		["red, then green", [bash("npm test", "1 failed"), call("Edit", { file_path: "/p/a.ts" }), bash("npm test")]],
		["a part red, then all green", [bash("npx vitest run a.test.ts", "1 failed"), bash("npx vitest run")]],
		[
			"an edit done another way",
			[call("Edit", { file_path: "/p/a" }, "String to replace not found", true), call("Write", { file_path: "/p/a" })],
		],
		["a mistyped program", [bash("gti status", "gti: command not found"), bash("git status --short")]],
		["another name of it", [bash("python a.py -v", "python: command not found"), bash("python3 a.py -v")]],
		["a mistyped script", [bash("npm run bulid", 'npm ERR! Missing script: "bulid"'), bash("npm run build")]],
		[
			"an option that is not there",
			[bash("git log --onelin", "fatal: unrecognized argument: --onelin"), bash("git log --oneline")],
		],
		["an option left out", [bash("tar x a.tgz --zip", "tar: unrecognized option '--zip'"), bash("tar x a.tgz")]],
	])("%s", (_, events) => {
		expect(open(...events)).toEqual([]);
	});
	test.each<[string, TranscriptEvent[][], string[]]>([
		[
			"cat of a missing file",
			[bash("cat /p/none.log", "cat: /p/none.log: No such file or directory"), bash("ls")],
			["Bash cat /p/none.log"],
		],
		["a cd that failed", [bash("cd x && make", "(eval):cd:1: no such file or directory: x")], ["Bash cd x && make"]],
		[
			"all red, then a part green",
			[bash("npx vitest run", "1 failed"), bash("npx vitest run a.test.ts")],
			["Bash npx vitest run"],
		],
		["a test that failed", [bash("npm test", "1 failed"), bash("npm run tests")], ["Bash npm test"]],
		["a mistyped command alone", [bash("gti push", "gti: command not found"), bash("ls")], ["Bash gti push"]],
		[
			"a file that another program misses",
			[bash("node build.js", "Cannot find module './x'"), bash("ls")],
			["Bash node build.js"],
		],
		["what was refused", [bash("cat /etc/shadow", "cat: /etc/shadow: Permission denied")], ["Bash cat /etc/shadow"]],
		[
			"another file's test",
			[bash("pytest tests/a.py", "1 failed"), bash("pytest tests/b.py")],
			["Bash pytest tests/a.py"],
		],
	])("no slip: %s", (_, events, left) => {
		expect(open(...events)).toEqual(left);
	});
});
