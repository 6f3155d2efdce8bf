import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { readOn, type SessionRead } from "../../src/claude/transcript/read-session.ts";
import { nodeOf } from "../../src/claude/transcript/read-transcript.ts";
import { emptySnapshot, type SessionSnapshot } from "../../src/core/context/session-context.ts";
import { branchesOf } from "../../src/core/transcript/active-branch.ts";
import { readLines } from "../kit/read-lines.ts";
import { grow, type Step, steps } from "../kit/transcript-tree.ts";
import { scratch } from "../scratch-home.ts";

const path = join(scratch(), "t.jsonl");
mkdirSync(join(path, ".."), { recursive: true });

const read = (
	lines: readonly string[],
	known?: { record: SessionSnapshot },
): SessionRead & { record: SessionSnapshot } => {
	const record = known ? structuredClone(known.record) : emptySnapshot("s", 0);
	writeFileSync(path, lines.map((line) => `${line}\n`).join(""));
	return { ...readOn(record, path), record };
};
const namesIn = (state: unknown): Set<string> => new Set(JSON.stringify(state).match(/name\d+x/g));

test("nothing of a branch that was left is in the state, everything the user said on the active one is", () => {
	fc.assert(
		fc.property(steps, (what) => {
			const { lines, active, left } = grow(what);
			const { state } = read(lines);
			const found = namesIn(state);
			expect(left.filter((name) => found.has(name))).toEqual([]);
			// results, commands and answers are kept as far as their lists reach; what the user said always is
			const said = lines.flatMap((line) => /Never touch (name\d+x)/.exec(line)?.[1] ?? []);
			expect(said.filter((name) => active.includes(name) && !found.has(name))).toEqual([]);
		}),
		{ numRuns: 500 },
	);
});

test("read in steps: the same state as of one reading", () => {
	fc.assert(
		fc.property(steps, fc.array(fc.nat(200), { maxLength: 5 }), (what, cuts) => {
			const { lines } = grow(what);
			const expected = read(lines);
			let known = { record: emptySnapshot("s", 0) };
			for (const cut of [...cuts.map((one) => one % (lines.length + 1)).sort((a, b) => a - b), lines.length])
				known = read(lines.slice(0, cut), known);
			expect(known.record.state).toEqual(expected.state);
		}),
		{ numRuns: 500 },
	);
});

test("with a parent that is in no line, what stands before is kept, and what was left before stays left", () => {
	fc.assert(
		fc.property(steps, steps, (before, after) => {
			const what: Step[] = [...before, { do: "answer" }, { do: "lose" }, { do: "ask" }, ...after];
			const { lines, left } = grow(what.filter((step, i) => step.do !== "rewind" || i < before.length));
			const found = namesIn(read(lines).state);
			expect(left.filter((name) => found.has(name))).toEqual([]);
			const said = lines.flatMap((line) => /Never touch (name\d+x)/.exec(line)?.[1] ?? []);
			expect(said.filter((name) => !left.includes(name) && !found.has(name))).toEqual([]);
		}),
		{ numRuns: 300 },
	);
});

const P = (uuid: string, parent: string | null) => ({ uuid, parent, kind: "prompt" as const });
const A = (uuid: string, parent: string, messageId: string) => ({ uuid, parent, kind: "answer" as const, messageId });
const R = (uuid: string, parent: string) => ({ uuid, parent, kind: "result" as const });
test.each([
	["one", [P("p2", "a1"), R("r1", "a1"), P("int", "r1"), A("a2", "int", "m2")], []],
	["two", [P("p2", "a1"), P("p3", "p2"), R("r1", "a1"), P("int", "r1"), A("a2", "int", "m2")], []],
	[
		"two, of three parallel calls one had ended",
		[
			...[A("b1", "a1", "m1"), A("c1", "b1", "m1"), R("r1", "a1"), P("p2", "r1"), P("p3", "p2")],
			...[R("r3", "c1"), R("r2", "b1"), P("int", "r2"), A("a2", "int", "m2")],
		],
		[],
	],
	["two, not answered yet", [P("p2", "a1"), P("p3", "p2"), R("r1", "a1")], []],
	[
		"one, taken back before the answer",
		[P("p2", "a1"), R("r1", "a1"), P("int", "r1"), P("p3", "a1"), A("a2", "p3", "m2")],
		["p2", "int"],
	],
	[
		"two, taken back before the answer",
		[P("p2", "a1"), P("p3", "p2"), R("r1", "a1"), P("int", "r1"), P("p4", "a1"), A("a2", "p4", "m2")],
		["p2", "p3", "int"],
	],
	[
		"two, taken back, parallel calls",
		[
			...[A("b1", "a1", "m1"), R("r1", "a1"), P("p2", "r1"), P("p3", "p2"), R("r2", "b1"), P("int", "r2")],
			...[P("p4", "r1"), A("a2", "p4", "m2")],
		],
		["p2", "p3", "int"],
	],
	[
		"the second one rewound after the answer",
		[
			...[P("p2", "a1"), P("p3", "p2"), R("r1", "a1"), P("int", "r1"), A("a2", "int", "m2"), R("r2", "a2")],
			...[P("p4", "p2"), A("a3", "p4", "m3")],
		],
		["p3", "int", "a2", "r2"],
	],
])("queued messages sent with Esc, by interrupting calls: %s", (_, nodes, left) => {
	expect([...branchesOf([P("p1", null), A("a1", "p1", "m1"), ...nodes]).left]).toEqual(left);
});

test("lines that stand in the file twice are not left", () => {
	const { lines, active, left } = grow([
		{ do: "ask" },
		{ do: "answer" },
		{ do: "ask" },
		{ do: "rewind", to: 1 },
		{ do: "answer" },
	]);
	const found = namesIn(read([...lines, ...lines, ...lines]).state);
	expect(active.every((name) => found.has(name))).toBe(true);
	expect(left.some((name) => found.has(name))).toBe(false);
});

test("a rewind behind what a reading of the end alone sees", () => {
	const first = grow([{ do: "ask" }, { do: "answer" }, { do: "ask" }, { do: "answer" }]);
	const back = grow([{ do: "ask" }, { do: "answer" }, { do: "ask" }, { do: "answer" }, { do: "rewind", to: 0 }]);
	const known = read(first.lines);
	expect(namesIn(known.state).size).toBeGreaterThan(1);
	expect([...namesIn(read(back.lines, known).state)]).toEqual(back.active);
});

test.each<[string, object, object | null]>([
	[
		"a prompt",
		{ parentUuid: "a", type: "user", message: { content: "x" }, uuid: "b" },
		{ parent: "a", kind: "prompt" },
	],
	["a root", { parentUuid: null, type: "user", message: {}, uuid: "b" }, { parent: null, kind: "prompt" }],
	["without the key", { type: "user", message: {}, uuid: "b" }, { kind: "prompt" }],
	[
		"a boundary",
		{ parentUuid: null, logicalParentUuid: "a", type: "system", uuid: "b" },
		{ parent: "a", kind: "other" },
	],
	["meta", { parentUuid: "a", type: "user", isMeta: true, message: {}, uuid: "b" }, { parent: "a", kind: "other" }],
	[
		"an answer whose input has such keys",
		{
			parentUuid: "a",
			type: "assistant",
			message: {
				id: "msg_1",
				content: [{ type: "tool_use", id: "toolu_1", input: { uuid: "no", parentUuid: "no", isSidechain: true } }],
			},
			uuid: "b",
		},
		{ parent: "a", kind: "answer", messageId: "msg_1" },
	],
	[
		"an agent's progress",
		{
			parentUuid: "a",
			isSidechain: false,
			type: "progress",
			data: { message: { type: "user", uuid: "no" } },
			uuid: "b",
		},
		{ parent: "a", kind: "other" },
	],
	["a subagent's line", { parentUuid: "a", isSidechain: true, type: "user", message: {}, uuid: "b" }, null],
	["no line of the tree", { type: "queue-operation", operation: "enqueue" }, null],
])("node of %s", (_, line, node) => {
	expect(nodeOf({ ...line })).toEqual(node && { uuid: "b", ...node });
});

test("linear: ten times the lines cost at most forty times as much", { retry: 2 }, () => {
	const chain = (length: number) =>
		Array.from({ length }, (_, i) => ({
			uuid: `u${i}`,
			parent: i % 3 === 0 && i > 10 ? `u${i - 7}` : i === 0 ? null : `u${i - 1}`,
			kind: (["prompt", "answer", "result", "other"] as const)[i % 4]!,
		}));
	const cost = (length: number): number => {
		const nodes = chain(length);
		const times = Array.from({ length: 5 }, () => {
			const start = performance.now();
			branchesOf(nodes);
			return performance.now() - start;
		});
		// the least: the machine may be busy
		return Math.min(...times);
	};
	cost(20_000);
	expect(cost(200_000)).toBeLessThan(40 * cost(20_000) + 50);
});

test("the events of a transcript follow the active branch too, and a rewind behind the last reading is told", () => {
	fc.assert(
		fc.property(steps, fc.nat(200), (what, cut) => {
			const { lines, left } = grow(what);
			const at = cut % (lines.length + 1);
			const file = join(scratch(), "t.jsonl");
			writeFileSync(
				file,
				lines
					.slice(0, at)
					.map((line) => `${line}\n`)
					.join(""),
			);
			const first = readLines(file, 0);
			writeFileSync(file, lines.map((line) => `${line}\n`).join(""));
			const second = readLines(file, first.offset, first.last);
			const told = second.start !== "on" ? second.lines : [...first.lines, ...second.lines];
			expect(told).toEqual(readLines(file, 0).lines);
			const found = namesIn(told);
			expect(left.filter((name) => found.has(name))).toEqual([]);
		}),
		{ numRuns: 150 },
	);
});
