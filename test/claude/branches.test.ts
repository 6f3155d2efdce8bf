import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { readOn, type SessionRead } from "../../src/claude/transcript/read-session.ts";
import { emptySnapshot, type SessionSnapshot } from "../../src/core/context/session-context.ts";
import { linesText } from "../kit/events.ts";
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
	writeFileSync(path, linesText(lines));
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

test("the events of a transcript follow the active branch too, and a rewind behind the last reading is told", () => {
	fc.assert(
		fc.property(steps, fc.nat(200), (what, cut) => {
			const { lines, left } = grow(what);
			const at = cut % (lines.length + 1);
			const file = join(scratch(), "t.jsonl");
			writeFileSync(file, linesText(lines.slice(0, at)));
			const first = readLines(file, 0);
			writeFileSync(file, linesText(lines));
			const second = readLines(file, first.offset, first.last);
			const told = second.start !== "on" ? second.lines : [...first.lines, ...second.lines];
			expect(told).toEqual(readLines(file, 0).lines);
			const found = namesIn(told);
			expect(left.filter((name) => found.has(name))).toEqual([]);
		}),
		{ numRuns: 150 },
	);
});

test.each(["from here", "up to here"] as const)("summarised %s, all of it stands, and it is read on", (direction) => {
	const turns: Step[] = Array.from({ length: 60 }, () => [{ do: "ask" as const }, { do: "answer" as const }]).flat();
	const before = grow(turns).lines.length;
	const { lines, active, left } = grow([...turns, { do: direction, to: 2 }, ...turns.slice(0, 2)]);
	const file = join(scratch(), "t.jsonl");
	writeFileSync(file, linesText(lines.slice(0, before)));
	const first = readLines(file, 0);
	writeFileSync(file, linesText(lines));
	const second = readLines(file, first.offset, first.last);
	expect([second.start, left]).toEqual(["on", []]);
	expect(namesIn([...first.lines, ...second.lines])).toEqual(new Set(active));
});

test("who goes back behind all that a part's summary left as it was leaves it", () => {
	const { lines, active, left } = grow([
		...(["ask", "answer", "ask", "answer", "ask", "answer"] as const).map((one) => ({ do: one })),
		{ do: "up to here", to: 1 },
		{ do: "rewind", to: 0 },
	]);
	expect([active.length, left.length]).toEqual([3, 4]);
	const found = namesIn(read(lines).state);
	expect([...found].sort()).toEqual([...active].sort());
});
