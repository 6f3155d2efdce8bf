import { appendFileSync, mkdirSync, readFileSync, statSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import type { SessionRecord } from "../../../src/core/context/record.ts";
import { sessionPaths } from "../../../src/store/paths.ts";
import {
	appendOnce,
	appendRecord,
	appendRecords,
	eventLogSize,
	readLate,
	readRecords,
} from "../../../src/store/session/event-log.ts";
import { sessionAt } from "../../../src/store/session-handle.ts";
import { startBun } from "../../kit/process.ts";
import { storeAt } from "../../kit/store.ts";
import { scratch } from "../../scratch-home.ts";

const record = (n: number, text = `text ${n}`): SessionRecord => ({
	v: 1,
	at: "2026-03-01T10:00:00.000Z",
	id: `u${n}.0`,
	pos: n * 100,
	kind: "message",
	role: "user",
	text,
	tokens: 1,
});
const idsOf = (root: string): string[] => readRecords(sessionAt(storeAt(root), "s")).records.map(({ id }) => id);

test("what was appended is read, in order, in a private file", () => {
	const root = scratch();
	appendRecords(sessionAt(storeAt(root), "s"), [record(1), record(2)]);
	appendRecords(sessionAt(storeAt(root), "s"), [record(3)]);
	expect(readRecords(sessionAt(storeAt(root), "s"))).toEqual({ records: [record(1), record(2), record(3)], broken: 0 });
	expect(statSync(sessionPaths(root, "s").events).mode & 0o777).toBe(0o600);
	expect(readRecords(sessionAt(storeAt(root), "other"))).toEqual({ records: [], broken: 0 });
});

test("a line cut short stays alone: the next append begins a new one", () => {
	const root = scratch();
	appendRecords(sessionAt(storeAt(root), "s"), [record(1), record(2)]);
	const path = sessionPaths(root, "s").events;
	truncateSync(path, statSync(path).size - 20);
	appendRecords(sessionAt(storeAt(root), "s"), [record(3)]);
	expect(idsOf(root)).toEqual(["u1.0", "u3.0"]);
	expect(readRecords(sessionAt(storeAt(root), "s")).broken).toBe(1);
});

test("broken, foreign and empty lines are passed over", () => {
	const root = scratch();
	appendRecords(sessionAt(storeAt(root), "s"), [record(1)]);
	const path = sessionPaths(root, "s").events;
	appendFileSync(path, '\n\n{"v":2,"kind":"x","id":"a","at":""}\nnull\n[1]\n{"v":1}\n\u0000\u0001\n{"v":1,"kind":');
	appendRecords(sessionAt(storeAt(root), "s"), [record(2)]);
	expect(idsOf(root)).toEqual(["u1.0", "u2.0"]);
	expect(readRecords(sessionAt(storeAt(root), "s")).broken).toBe(6);
});

test.each([0, 1, 2, 3, 4, 5])("killed after %i of 5 records: the same batch again adds the rest only", (count) => {
	const root = scratch();
	const batch = [1, 2, 3, 4, 5].map((n) => record(n));
	appendRecords(sessionAt(storeAt(root), "s"), [record(0)]);
	if (count > 0) appendRecords(sessionAt(storeAt(root), "s"), batch.slice(0, count));
	// the next one was torn
	if (count < 5) appendFileSync(sessionPaths(root, "s").events, JSON.stringify(batch[count]).slice(0, 30));
	appendOnce(sessionAt(storeAt(root), "s"), batch);
	expect(idsOf(root)).toEqual(["u0.0", "u1.0", "u2.0", "u3.0", "u4.0", "u5.0"]);
	const lines = readFileSync(sessionPaths(root, "s").events, "utf8").split("\n");
	for (const { id } of batch)
		expect(lines.filter((line) => line.includes(`"${id}"`) && line.endsWith("}"))).toHaveLength(1);
});

test("a record that comes from no transcript bars the way of none that does", () => {
	const root = scratch();
	const nudge: SessionRecord = { v: 1, at: "2026-03-01T10:00:00.000Z", id: "nudge.1", kind: "nudge", tokens: 5 };
	appendOnce(sessionAt(storeAt(root), "s"), [record(1), nudge]);
	appendOnce(sessionAt(storeAt(root), "s"), [record(2), record(3), nudge]);
	expect(idsOf(root)).toEqual(["u1.0", "nudge.1", "u2.0", "u3.0"]);
});

test("a record written twice is read once", () => {
	const root = scratch();
	appendRecords(sessionAt(storeAt(root), "s"), [record(1), record(1), record(2)]);
	expect(idsOf(root)).toEqual(["u1.0", "u2.0"]);
});

test("late records from an offset on, up to the last whole line", () => {
	const root = scratch();
	const now = new Date("2026-03-01T10:00:00Z");
	appendRecords(sessionAt(storeAt(root), "s"), [record(1)]);
	const from = eventLogSize(sessionAt(storeAt(root), "s"));
	appendRecord(sessionAt(storeAt(root), "s"), now, { kind: "background", tasks: [] });
	appendRecords(sessionAt(storeAt(root), "s"), [record(2)]);
	const end = eventLogSize(sessionAt(storeAt(root), "s"));
	appendFileSync(sessionPaths(root, "s").events, '{"v":1,"kind":"profile","id":"x"');
	expect(readLate(sessionAt(storeAt(root), "s"), from)).toEqual({
		records: [expect.objectContaining({ kind: "background" })],
		end,
	});
	expect(readLate(sessionAt(storeAt(root), "s"), end).records).toEqual([]);
	// an event log that was cut down since
	expect(readLate(sessionAt(storeAt(root), "s"), 1e9).records).toHaveLength(1);
});

test("lines longer than a chunk are read whole", () => {
	const root = scratch();
	appendRecords(sessionAt(storeAt(root), "s"), [
		record(1, "x".repeat(1_500_000)),
		record(2),
		record(3, "y".repeat(1_100_000)),
	]);
	expect(
		readRecords(sessionAt(storeAt(root), "s")).records.map((one) => (one.kind === "message" ? one.text.length : 0)),
	).toEqual([1_500_000, 6, 1_100_000]);
});

test("a symbolic link is not followed", () => {
	const root = scratch();
	const target = join(scratch(), "target");
	writeFileSync(target, "theirs");
	const { events } = sessionPaths(root, "s");
	mkdirSync(dirname(events), { recursive: true });
	symlinkSync(target, events);
	expect(() => appendRecords(sessionAt(storeAt(root), "s"), [record(1)])).toThrow("symbolic link");
	expect(readFileSync(target, "utf8")).toBe("theirs");
	expect(readRecords(sessionAt(storeAt(root), "s")).records).toEqual([]);
});

test("16 processes appending at once lose no line", async () => {
	const root = scratch();
	const module = join(import.meta.dirname, "../../../src/store/session/event-log.ts");
	const file = join(root, "writer.ts");
	writeFileSync(
		file,
		`import { appendRecord } from ${JSON.stringify(module)};
import { sessionAt } from ${JSON.stringify(join(module, "../../session-handle.ts"))};
for (let i = 0; i < 25; i++)
	appendRecord(sessionAt({ root: ${JSON.stringify(root)}, tell() {} }, "s"), new Date(), { kind: "zone", from: process.argv[2]!, zone: String(i), tokens: null, distance: null });`,
	);
	const writers = Array.from({ length: 16 }, (_, n) => startBun([file, String(n)]));
	expect(await Promise.all(writers.map(async (writer) => (await writer).exitCode))).toEqual(Array(16).fill(0));
	const { records, broken } = readRecords(sessionAt(storeAt(root), "s"));
	expect(broken).toBe(0);
	const seen = new Set(records.map((one) => (one.kind === "zone" ? `${one.from}-${one.zone}` : "")));
	expect(seen.size).toBe(16 * 25);
});
