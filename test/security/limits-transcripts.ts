/** Transcripts made to stop a hook: what a tool, a server, a file or a paste can bring into a session's lines. */
import { appendFileSync } from "node:fs";
import { COMPACTION, call, type EntryPoint, type Hostile, talk } from "./limits-fixture.ts";

const KB = 1024;
const MB = 1024 * KB;
const ALL: readonly EntryPoint[] = [...COMPACTION, "stop", "session-end", "post-tool-batch"];

const hostile = (name: string, lines: () => readonly string[], more: Partial<Hostile> = {}): Hostile => ({
	name,
	prepare: (at) => talk(at, lines(), false),
	entries: ALL,
	...more,
});
const times = <T>(n: number, make: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => make(i));
const keys = (n: number, value: unknown = 1): object => Object.fromEntries(times(n, (i) => [`k${i}`, value]));
const said = (text: string): string =>
	JSON.stringify({
		type: "assistant",
		timestamp: "2026-01-02T03:04:05.000Z",
		uuid: "u-said",
		message: { role: "assistant", content: [{ type: "text", text }] },
	});
const typed = (text: unknown): string =>
	JSON.stringify({
		type: "user",
		promptSource: "typed",
		timestamp: "2026-01-02T03:04:05.000Z",
		uuid: "u-typed",
		message: { role: "user", content: text },
	});
/** `depth` lists inside each other. */
const nested = (depth: number): string => "[".repeat(depth) + "]".repeat(depth);
const withNested = (line: string, depth: number): string => line.replace('"@"', nested(depth));
const question = (n: number) => ({
	question: `q${n}`,
	header: "h",
	options: times(n, (i) => ({ label: `l${i}`, description: "d" })),
});

const shapes: Hostile[] = [
	hostile("a million todos", () => [
		call("TodoWrite", { todos: times(180_000, (i) => ({ content: `t${i}`, status: "pending" })) }),
	]),
	hostile("todos of 8 MB", () => [
		call("TodoWrite", { todos: [{ content: "x".repeat(7 * MB), status: "y".repeat(100 * KB) }] }),
	]),
	hostile("a question with 100,000 options", () => [call("AskUserQuestion", { questions: [question(100_000)] })]),
	hostile("10,000 questions", () => [call("AskUserQuestion", { questions: times(10_000, () => question(2)) })]),
	hostile("an answer with 200,000 keys", () => [
		call("AskUserQuestion", { questions: [] }, 0, "ok", { answers: keys(200_000, "yes") }),
	]),
	hostile("an input of a million keys", () => [call("Bash", { command: "ls", ...keys(500_000) })]),
	hostile("a kept input of a million keys", () => [call("TaskCreate", { subject: "s", ...keys(500_000) })]),
	hostile("an edit with texts of 7 MB", () => [
		call("Edit", { file_path: "/a/b.ts", old_string: "x".repeat(3 * MB), new_string: "const a".repeat(400 * KB) }),
	]),
	hostile("an edit that declares nothing, endlessly", () =>
		times(300, (n) => call("Edit", { file_path: "/a/b.ts", new_string: "export ".repeat(1_140) }, n)),
	),
	hostile("an edit of pub( func (", () =>
		times(300, (n) => call("Edit", { file_path: "/a/b.ts", new_string: " pub(aaaa".repeat(880) }, n)),
	),
	hostile("nested lists, 2 million", () => [withNested(call("Bash", "@"), 2 * MB)]),
	hostile("nested detail, 100,000", () => [withNested(call("Bash", { command: "ls" }, 0, "ok", "@"), 100_000)]),
	hostile("brackets open, 7 MB", () => ['{"type":"user","message":{"content":'.padEnd(7 * MB, "[")]),
	hostile("a message of 100,000 texts", () => [typed(times(100_000, () => ({ type: "text", text: "a" })))]),
	hostile("a message of 100,000 results", () => [
		typed(times(60_000, (i) => ({ type: "tool_result", tool_use_id: `t${i}`, content: "x" }))),
	]),
	hostile("20,000 calls without an end", () =>
		times(20_000, (n) => call("Bash", { command: `ls ${"x".repeat(60)}${n}` }, n).split("\n")[0]!),
	),
	hostile("a file's name of 7 MB", () => [call("Read", { file_path: `/${"n/".repeat(3 * MB)}` })]),
	hostile("100,000 names", () =>
		times(60, (n) => call("Bash", { command: "ls" }, n, times(6_000, (i) => `n_${n}_${i}/x`).join(" "))),
	),
];

const bash = (command: string, result = "done", n = 0): string => call("Bash", { command }, n, result);
/** Commands are read up to 400 characters: the same one many times. */
const commands = (unit: string, result = "ok"): string[] =>
	times(400, (n) => bash(`git commit ${unit.repeat(Math.ceil(400 / unit.length))}${n}`, result, n));
const words: Hostile[] = [
	hostile("a command of options", () => times(3, (n) => bash(`git ${"--a ".repeat(60)}${n}`, "ok", n))),
	hostile("commands of here-documents", () => commands("<<a\n")),
	hostile("commands of quotes", () => commands("'\"")),
	hostile("a result of commit lines without an end", () =>
		times(300, (n) => bash("git commit -m x", `${`[${"a".repeat(190)} abcdef0\n`.repeat(40)}`, n)),
	),
	hostile("a result of blank lines", () => times(20, (n) => bash("npm test", "\n".repeat(300 * KB), n))),
	hostile("a result of 7 MB", () => [bash("npm test", "x".repeat(7 * MB))]),
	hostile("results of task notices", () =>
		times(100, (n) => call("TaskOutput", { task_id: "x" }, n, "<task_id> ".repeat(5_000))),
	),
	hostile("the agent's fences", () => times(60, () => said("```".repeat(20_000)))),
	hostile("the agent's list marks", () => times(60, () => said("> ".repeat(30_000)))),
	hostile("the agent's 7 MB", () => [said("I assume you agree. ".repeat(360_000))]),
	hostile("names of dots and colons", () => times(100, () => said(`a${".:-/".repeat(14_000)}a`))),
	hostile("a paste of line breaks", () => [typed(`Fix this:${"\n".repeat(7 * MB)}`)]),
	hostile("a paste of words that last", () => times(120, (n) => typed(`${n}\n${"always\n".repeat(850)}`))),
	hostile("messages waiting", () =>
		times(3_000, (n) =>
			JSON.stringify({
				type: "queue-operation",
				operation: "enqueue",
				timestamp: "2026-01-02T03:04:05.000Z",
				content: `wait ${n} ${"x".repeat(1_500)}`,
			}),
		),
	),
	hostile("a plan of 7 MB", () => [call("ExitPlanMode", { plan: "1. step\n".repeat(900_000) })]),
	hostile("saved notes", () => times(400, (n) => bash(`ccg memory save ${"--a b ".repeat(64)}`, "ok", n))),
];

/** The user's words stand behind it: what lies before so much was read at an earlier compaction, or is not reached. */
const before = (name: string, lines: () => readonly string[]): Hostile => ({
	...hostile(name, lines),
	prepare: (at) => talk(at, lines(), true),
});
const files: Hostile[] = [
	before("a line of 100 MB", () => ["x".repeat(100 * MB)]),
	{
		...hostile("a half line of 100 MB", () => []),
		prepare(at) {
			talk(at);
			appendFileSync(at.transcript, `{"type":"user","message":"${"x".repeat(100 * MB)}`);
		},
	},
	before("line breaks, 30 MB", () => ["\n".repeat(30 * MB)]),
	before("short telling lines, 20 MB", () => ['{"type":"user","message":{"a":1}}\n'.repeat(600_000)]),
	before("boundaries, 20 MB", () => [
		'{"type":"system","subtype":"compact_boundary","compactMetadata":{"trigger":"auto","preTokens":1}}\n'.repeat(
			200_000,
		),
	]),
	hostile("pictures", () =>
		times(3, (n) =>
			typed([
				{ type: "image", source: { type: "base64", data: "A".repeat(6 * MB) } },
				{ type: "text", text: `picture ${n}` },
			]),
		),
	),
	hostile("picture marks", () => [typed('"type":"base64" "data":"'.repeat(250_000))]),
	hostile("bytes that are no text", () => [`{"type":"user","message":{"content":"${"\u0000\ufffd".repeat(MB)}"}}`]),
	hostile("a message of angle brackets", () => [typed("<".repeat(6_000)), typed("</".repeat(3_000))]),
];

export const TRANSCRIPTS: readonly Hostile[] = [...shapes, ...words, ...files];
