import fc from "fast-check";
import { expect, test } from "vitest";
import { applyLine, applyTaskList } from "../../../src/core/context/apply.ts";
import { emptySnapshot, type SessionSnapshot } from "../../../src/core/context/session-context.ts";
import type { EventLine, TranscriptEvent } from "../../../src/core/transcript/event.ts";
import { at, enqueued, message, takenBack } from "../../kit/session-events.ts";

const words = fc.constantFrom("Never push.", "Always use tabs.", "forget that", "go on", "! ls", "x".repeat(7_000));
const ids = fc.constantFrom("a", "b", "c", "__proto__", "7");
const input = fc.oneof(
	fc.dictionary(fc.constantFrom("command", "plan", "todos", "subject", "file_path"), fc.jsonValue()),
	fc.record({ command: fc.constantFrom("npm test", "git commit -m x", "node srv.js &", "kill %1", "ls") }),
	fc.record({ todos: fc.array(fc.record({ content: words, status: fc.constantFrom("pending", "completed") })) }),
	fc.record({ taskId: fc.constantFrom("1", "2"), status: fc.constantFrom("in_progress", "completed", "deleted") }),
	fc.record({ plan: fc.constant("# Goal\n1. one\n2. two") }),
);
const tool = fc.constantFrom("Bash", "Edit", "TodoWrite", "TaskCreate", "TaskUpdate", "ExitPlanMode", "Grep", "Agent");
const text = fc.oneof(
	fc.string(),
	fc.constantFrom("12 passed", "Task #1 created", "The user doesn't want to proceed with this tool use."),
);
const usage = { kind: "usage", model: "m", tokens: 110, input: 10, cacheCreation: 0, cacheRead: 100 } as const;
const boundary = { kind: "boundary", at, uuid: "", trigger: "auto", preTokens: 9 } as const;

const event: fc.Arbitrary<TranscriptEvent> = fc.oneof(
	fc.tuple(words, fc.constantFrom("typed", "queued", "command")).map(([said, source]) => message(said, source)),
	words.map(enqueued),
	words.map(takenBack),
	words.map((said) => ({ kind: "said", at, text: `${said} Shall I go on?` })),
	fc.record({ kind: fc.constant("call"), at: fc.constant(at), id: ids, tool, input }),
	fc
		.record({ kind: fc.constant("result"), at: fc.constant(at), id: ids, failed: fc.boolean(), text })
		.map((one): TranscriptEvent => ({ ...one, kind: "result", detail: null })),
	fc.tuple(ids, fc.nat(99)).map(([messageId, output]) => ({ ...usage, messageId, output })),
	fc.constantFrom<TranscriptEvent>(boundary, { kind: "ended", at, id: "b1", status: "" }),
) as fc.Arbitrary<TranscriptEvent>;

function applied(before: SessionSnapshot, lines: readonly EventLine[]): SessionSnapshot {
	const snapshot = structuredClone(before);
	for (const line of lines) applyLine(snapshot, line);
	// as the store gives it back
	return JSON.parse(JSON.stringify(snapshot));
}

test("apply(a + b) = apply(apply(a), b), however the events are cut", () => {
	fc.assert(
		fc.property(fc.array(fc.array(event, { maxLength: 12 }), { maxLength: 6 }), (pieces) => {
			const start = emptySnapshot("s", 0);
			applyTaskList(start, { at, pos: 2, tasks: [{ id: "b1", kind: "shell", description: "srv" }] });
			const lines = pieces.map((piece, p) => piece.map((one, n) => ({ pos: n, uuid: `u${p}.${n}`, events: [one] })));
			expect(lines.reduce(applied, start)).toEqual(applied(start, lines.flat()));
		}),
		{ numRuns: 300 },
	);
});

test("what goes on since a call is no ended task of an account that came before its result", () => {
	const record = emptySnapshot("s", 0);
	const line = (pos: number, event: TranscriptEvent) => applyLine(record, { pos, uuid: `u${pos}`, events: [event] });
	line(100, { kind: "call", at, id: "t", tool: "Bash", input: { command: "npm run dev", run_in_background: true } });
	applyTaskList(record, { at, pos: 200, tasks: [] });
	line(300, { kind: "result", at, id: "t", failed: false, text: "ID: b1", detail: { backgroundTaskId: "b1" } });
	line(400, { kind: "said", at, text: "It runs." });
	expect(record.state.backgroundTasks).toMatchObject([{ id: "b1", what: "npm run dev" }]);
});
