import { writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { catchUpRecord } from "../../../src/claude/transcript/read-session.ts";
import { emptySnapshot } from "../../../src/core/context/session-context.ts";
import { linesText } from "../../kit/events.ts";
import { readLines } from "../../kit/read-lines.ts";
import { grow, namesIn, type Step, saidIn, steps } from "../../kit/transcript-tree.ts";
import { scratch } from "../../scratch-home.ts";

const path = join(scratch(), "t.jsonl");

/** A record brought up to the end of these lines; the one given is not changed. */
function read(lines: readonly string[], known = emptySnapshot("s", 0)) {
	const record = structuredClone(known);
	writeFileSync(path, linesText(lines));
	catchUpRecord(record, path);
	return record;
}

/** Names of the branches that were left which are in what was read, and those that the user said on the active one which are not. */
function wrongIn(known: unknown, { lines, left }: ReturnType<typeof grow>) {
	const found = namesIn(known);
	// results, commands and answers are kept as far as their lists reach; what the user said always is
	const lacking = saidIn(lines).filter((name) => !left.includes(name) && !found.has(name));
	return { lacking, told: left.filter((name) => found.has(name)) };
}
const NOTHING = { lacking: [], told: [] };

test("nothing of a branch that was left is in the state, everything the user said on the active one is; read in steps too", () => {
	fc.assert(
		fc.property(steps, fc.array(fc.nat(200), { maxLength: 5 }), (what, cuts) => {
			const tree = grow(what);
			const { lines } = tree;
			const whole = read(lines);
			expect(wrongIn(whole.state, tree)).toEqual(NOTHING);
			let known = emptySnapshot("s", 0);
			for (const cut of [...cuts.map((one) => one % (lines.length + 1)).sort((a, b) => a - b), lines.length])
				known = read(lines.slice(0, cut), known);
			expect(known.state).toEqual(whole.state);
		}),
		{ numRuns: 500 },
	);
});

test("with a parent that is in no line, what stands before is kept, and what was left before stays left", () => {
	fc.assert(
		fc.property(steps, steps, (before, after) => {
			const what: Step[] = [...before, { do: "answer" }, { do: "lose" }, { do: "ask" }, ...after];
			const tree = grow(what.filter((step, i) => step.do !== "rewind" || i < before.length));
			expect(wrongIn(read(tree.lines).state, tree)).toEqual(NOTHING);
		}),
		{ numRuns: 300 },
	);
});

const turn: Step[] = [{ do: "ask" }, { do: "answer" }];

test("lines that stand in the file twice are not left", () => {
	const tree = grow([...turn, { do: "ask" }, { do: "rewind", to: 1 }, { do: "answer" }]);
	const { state } = read([...tree.lines, ...tree.lines, ...tree.lines]);
	expect(wrongIn(state, tree)).toEqual(NOTHING);
});

test.each(["from here", "up to here"] as const)("summarised %s, all of it stands, and it is read on", (direction) => {
	const turns = Array.from({ length: 60 }, () => turn).flat();
	const before = grow(turns).lines.length;
	const { lines, active, left } = grow([...turns, { do: direction, to: 2 }, ...turn]);
	writeFileSync(path, linesText(lines.slice(0, before)));
	const first = readLines(path, 0);
	writeFileSync(path, linesText(lines));
	const second = readLines(path, first.offset, first.last);
	expect([second.start, left]).toEqual(["continued", []]);
	expect(namesIn([...first.lines, ...second.lines])).toEqual(new Set(active));
});

test("who goes back behind all that a part's summary left as it was leaves it", () => {
	const tree = grow([...turn, ...turn, ...turn, { do: "up to here", to: 1 }, { do: "rewind", to: 0 }]);
	expect([tree.active.length, tree.left.length]).toEqual([3, 4]);
	expect(namesIn(read(tree.lines).state)).toEqual(new Set(tree.active));
});
