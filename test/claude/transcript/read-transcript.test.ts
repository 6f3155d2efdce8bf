import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Transcript } from "../../kit/events.ts";
import { readLines } from "../../kit/read-lines.ts";
import { scratch } from "../../scratch-home.ts";

const path = () => join(scratch(), "t.jsonl");

test("lines with events, where they begin, and where the next reading does", () => {
	const transcript = new Transcript("/p").typed("one").noise(2_000_000).said("zwei — ü").meta("x").boundary();
	const file = transcript.write(path());
	const { lines, offset: end, gap } = readLines(file, 0);
	expect(lines.map(({ events }) => events.at(-1)!.kind)).toEqual(["message", "said", "place", "boundary"]);
	const starts = transcript.lines.map((_, n) =>
		Buffer.byteLength(
			transcript.lines
				.slice(0, n)
				.map((line) => `${line}\n`)
				.join(""),
		),
	);
	expect(lines.map(({ pos }) => pos)).toEqual([0, 2, 3, 4].map((n) => starts[n]));
	expect(end).toBe(Buffer.byteLength(transcript.text()));
	expect(gap).toBeNull();
	expect(readLines(file, end).lines).toEqual([]);
	expect(readLines(file, starts[2]!).lines).toHaveLength(3);
});

test.each([
	["in front of the structured result", false],
	["behind it", true],
])("a large result's own keys %s count", (_, behind) => {
	const file = path();
	const head = {
		type: "user",
		message: { role: "user", content: [{ type: "tool_result", tool_use_id: "t", content: "x".repeat(20_000) }] },
	};
	const keys = { uuid: "u-1", timestamp: "2026-03-01T10:00:00.000Z" };
	const result = { toolUseResult: { stdout: "x".repeat(20_000) } };
	writeFileSync(
		file,
		`${JSON.stringify(behind ? { ...head, ...result, ...keys } : { ...head, ...keys, ...result })}\n`,
	);
	const [line] = readLines(file, 0).lines;
	expect(line).toMatchObject({ uuid: "u-1" });
	expect(line!.events).toEqual([expect.objectContaining({ kind: "result", at: keys.timestamp, id: "t" })]);
});

test.each([
	["beyond its end", 10_000_000],
	["inside a line", 7],
])("an offset %s: another file, read from its start", (_, offset) => {
	const file = new Transcript("/p").typed("one").typed("two").write(path());
	expect(readLines(file, offset).lines).toHaveLength(2);
});

test("broken lines cost themselves", () => {
	const file = path();
	const good = new Transcript("/p").typed("one").text();
	writeFileSync(
		file,
		`{"type":"user"\n${good}{"type":"assistant","message":7}\n"type":"user"\n{"type":"user","uuid":"../x","message":{"content":"hi"}}\n`,
	);
	expect(readLines(file, 0).lines.map(({ uuid }) => uuid)).toEqual(["00000000-0000-4000-8000-000000000001", ""]);
});

test("a first reading that begins at 0 with nothing known goes on behind a parent that is in no line", () => {
	const file = new Transcript("/p").typed("one").said("x").typed("two").said("y").write(path());
	const lines = readFileSync(file, "utf8").trimEnd().split("\n");
	const cut = JSON.parse(lines.at(-2)!);
	writeFileSync(
		file,
		`${[...lines.slice(0, -2), JSON.stringify({ ...cut, parentUuid: "gone" }), lines.at(-1)].join("\n")}\n`,
	);
	const words = ({ lines }: ReturnType<typeof readLines>) =>
		lines.flatMap(({ events }) => events.flatMap((event) => (event.kind === "message" ? event.text : [])));
	expect(words(readLines(file, 0))).toEqual(["one", "two"]);
});
