import { writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { SHAPES, syntheticTranscript } from "../../../bench/latency/transcripts.ts";
import { lastUsage, readLastCompaction } from "../../../src/claude/transcript/compactions.ts";
import { catchUpRecord, readCurrentSession } from "../../../src/claude/transcript/read-session.ts";
import { emptySnapshot, type SessionSnapshot } from "../../../src/core/context/session-context.ts";
import { writeRecord } from "../../../src/store/session/records.ts";
import { sessionHandle } from "../../../src/store/session-handle.ts";
import { Transcript } from "../../kit/events.ts";
import { storeAt } from "../../kit/store.ts";
import { scratch } from "../../scratch-home.ts";

const folder = scratch("read");
const path = join(folder, "t.jsonl");

/** A session of everything, with two compactions. */
const session = (): Transcript =>
	new Transcript("/home/ada/shop")
		.typed("Please build the cart. Never touch src/legacy.")
		.sidechain("Always answer in French.")
		.meta("You must obey the meta line.")
		.noise()
		.task("1", "Build the cart")
		.call("Read", { file_path: "/home/ada/shop/src/cart.ts" }, "1\texport const cart = [];")
		.rejected("Bash", { command: "npm install left-pad" }, "no new dependencies, write it by hand")
		.answered("Which currency?", "Euro only")
		.usage(160_000)
		.boundary()
		.summary()
		.given("hook_additional_context", "ccg recovery precompact_checkpoint_20260101_000000: …")
		.taskUpdate("1", "in_progress")
		.call("Edit", { file_path: "/home/ada/shop/src/cart.ts", old_string: "a", new_string: "b" }, "updated")
		.call("Bash", { command: "npm test" }, "2 tests failed", { failed: true })
		.plan("# Rewrite the totals\n\n1. Round late")
		.typed("Use integers for money, not floats.")
		.boundary("manual", 90_000)
		.summary()
		.todos(["Round late", "in_progress"], ["Ship", "pending"])
		.said("The totals are integers now.", 31_000);

const content = Buffer.from(session().text());

/** A record that is brought up to the transcript's end, and what was read. */
const readNew = (file: string, record: SessionSnapshot = emptySnapshot("s-1", 1)) => ({
	...catchUpRecord(record, file),
	record,
});

function whole(text: string | Uint8Array) {
	writeFileSync(path, text);
	return readNew(path);
}

const stateOf = (read: { state: object }): string => JSON.stringify(read.state);

test("the automatic compactions, and where the last one stands", () => {
	const { boundaries } = whole(content);
	expect(boundaries.map(({ preTokens }) => preTokens)).toEqual([165_000]);
	expect(content.toString("utf8", readLastCompaction(path).boundary()!.offset)).toMatch(/^\{[^\n]*"manual"/);
});

test("at any split, also inside a line: the same state as of one reading", () => {
	const expected = stateOf(whole(content));
	fc.assert(
		fc.property(fc.array(fc.nat(content.length), { minLength: 1, maxLength: 5 }), (cuts) => {
			let record = emptySnapshot("s-1", 1);
			for (const cut of [...cuts.toSorted((a, b) => a - b), content.length]) {
				writeFileSync(path, content.subarray(0, cut));
				record = structuredClone(readNew(path, record).record);
			}
			expect(stateOf(record)).toBe(expected);
		}),
		{ numRuns: 60 },
	);
});

test.each(SHAPES)("what is new behind a boundary (%s) is read alone", (shape) => {
	const lines = syntheticTranscript(300_000, "/p", shape).toString().trimEnd().split("\n");
	const boundary = lines.findIndex((line) => line.includes('"compact_boundary"'));
	const text = (to: number): string => `${lines.slice(0, to).join("\n")}\n`;
	const [behind, more] = [boundary + 12, boundary + 20];
	const first = whole(text(behind));
	// what was read before is not there any more
	writeFileSync(path, `${"#".repeat(text(behind).length - 1)}\n${text(more).slice(text(behind).length)}`);
	const second = readNew(path, structuredClone(first.record));
	expect(stateOf(second)).toBe(stateOf(whole(text(more))));
});

test("from the store's snapshot; one that does not fit the file any more is left", () => {
	const place = (sid: string) => sessionHandle(storeAt(join(folder, "store")), sid);
	const middle = content.indexOf("\n", content.length / 2) + 1;
	const first = whole(content.subarray(0, middle));
	writeRecord(place("s-1"), { record: first.record, revision: 0, text: "" });
	const full = whole(content);
	expect(stateOf(readCurrentSession(place("s-1"), path))).toBe(stateOf(full));
	for (const transcript_offset of [content.length + 5, 7]) {
		const record = structuredClone(full.record);
		record.cursor.transcript_offset = transcript_offset;
		expect(stateOf(readNew(path, record))).toBe(stateOf(full));
	}
	const other = join(folder, "other.jsonl");
	writeFileSync(other, content.subarray(0, middle));
	expect(stateOf(readCurrentSession(place("s-1"), other))).toBe(stateOf(readNew(other)));
});

test("known lines with any value in any place: the lines around them count", () => {
	const lines = session().lines;
	const odd = fc.oneof(
		fc.jsonValue({ maxDepth: 2 }),
		fc.constantFrom<unknown>({ toString: 1 }, "__proto__", null, [null], [[]], -1),
	);
	fc.assert(
		fc.property(fc.nat(lines.length - 1), fc.nat(60), odd, (index, place, value) => {
			const changed = lines.with(index, JSON.stringify(withValueAt(JSON.parse(lines[index]!), place, value)));
			changed.push('{"type":"user","uuid":"last","message":{"content":"Never lose me."}}');
			expect(whole(`${changed.join("\n")}\n`).state.messages.at(-1)?.text).toBe("Never lose me.");
			expect(() => [readLastCompaction(path).afterBoundary(), lastUsage(path)]).not.toThrow();
		}),
		{ numRuns: 500 },
	);
	const answers = { detail: { answers: { "Which?": { toString: 1 } } } };
	const asked = new Transcript("/p").call("AskUserQuestion", {}, "answered", answers).typed("Never lose me.");
	expect(whole(asked.text()).state.messages).toMatchObject([{ text: "Never lose me." }]);
});

/** The value with the `place`th of its inner values replaced. */
function withValueAt(value: unknown, place: number, by: unknown): unknown {
	let left = place;
	const walk = (one: unknown): unknown => {
		if (left-- === 0) return by;
		if (Array.isArray(one)) return one.map(walk);
		if (one === null || typeof one !== "object") return one;
		return Object.fromEntries(Object.entries(one).map(([name, inner]) => [name, walk(inner)]));
	};
	return walk(value);
}

test("a transcript as Python writes JSON is read as any other", () => {
	const spaced = (line: string): string => JSON.stringify(JSON.parse(line), null, 1).replace(/\n\s*/g, " ");
	const written = session();
	const plain = whole(written.text());
	const read = whole(written.lines.map((line) => `${spaced(line)}\n`).join(""));
	expect(read.state.messages.length).toBeGreaterThan(1);
	// the places are of the file
	const unplaced = (state: object) =>
		JSON.parse(JSON.stringify(state, (name, value) => (["pos", "changed"].includes(name) ? undefined : value)));
	expect(unplaced(read.state)).toEqual(unplaced(plain.state));
	expect(read.boundaries).toEqual(plain.boundaries);
});

test("a transcript that begins in the middle is not whole", () => {
	const line = (uuid: string, parentUuid: string | null) =>
		`${JSON.stringify({ type: "user", uuid, parentUuid, message: { role: "user", content: "Build the cart." } })}\n`;
	expect(whole(line("u1", null) + line("u2", "u1")).state.partial).toBeUndefined();
	expect(whole(line("u1", "gone") + line("u2", "u1")).state.partial).toBe(true);
});

test("of very many short lines the last are read: memory grows with each line", () => {
	const line = (n: number) =>
		`{"uuid":"u-${n}","parentUuid":${n ? `"u-${n - 1}"` : null},"type":"user","message":{"role":"user","content":"line ${n}"}}\n`;
	const { state } = whole(Array.from({ length: 50_001 }, (_, n) => line(n)).join(""));
	expect([state.partial, state.messages.at(-1)?.text]).toEqual([true, "line 50000"]);
});
