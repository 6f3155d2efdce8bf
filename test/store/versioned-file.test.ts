import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import * as z from "zod/mini";
import { type FileKind, goodValue, readVersioned, writeVersioned } from "../../src/store/versioned-file.ts";

interface Note {
	version: 2;
	text: string;
}
const KIND: FileKind<Note> = {
	name: "note",
	version: 2,
	schema: z.object({ version: z.literal(2), text: z.string() }),
	keepLast: true,
};
const NOW = new Date("2026-03-01T10:00:00Z");
let path: string;
beforeEach(() => {
	path = join(mkdtempSync(join(tmpdir(), "ccg-versioned-")), "note.json");
});

test("what was written is read", () => {
	expect(readVersioned(path, KIND, NOW)).toEqual({ found: "absent" });
	writeVersioned(path, KIND, { version: 2, text: "one" });
	expect(readVersioned(path, KIND, NOW)).toEqual({ found: "good", value: { version: 2, text: "one" } });
});

test.each([
	["empty", ""],
	["torn", '{"version":2,"te'],
	["foreign", "[1,2]"],
	["of another shape", '{"version":2,"text":7}'],
	["of a version nobody wrote", '{"version":"two"}'],
	["without a version", '{"text":"no version"}'],
	["of an earlier version", '{"version":1,"text":"old"}'],
])("a file that is %s is quarantined, and the last good version takes its place", (_, text) => {
	writeVersioned(path, KIND, { version: 2, text: "one" });
	writeVersioned(path, KIND, { version: 2, text: "two" });
	writeFileSync(path, text);
	const read = readVersioned(path, KIND, NOW);
	expect(goodValue(read)?.text).toBe("one");
	expect(read).toMatchObject({ problem: expect.stringContaining(path) });
	expect(existsSync(path)).toBe(false);
	expect(readFileSync(`${path}.damaged-20260301100000`, "utf8")).toBe(text);
	expect(readdirSync(join(path, "..")).filter((name) => name.endsWith(".tmp"))).toEqual([]);
});

test("a newer file is left alone", () => {
	writeFileSync(path, '{"version":3,"text":"new"}');
	expect(readVersioned(path, KIND, NOW)).toMatchObject({
		found: "newer",
		problem: expect.stringContaining("newer ccg"),
	});
	expect(readFileSync(path, "utf8")).toBe('{"version":3,"text":"new"}');
});

describe("a write", () => {
	test("keeps torn bytes aside that no reader met before", () => {
		writeFileSync(path, '{"version":2,"te');
		writeVersioned(path, KIND, { version: 2, text: "new" });
		const [aside] = readdirSync(join(path, "..")).filter((name) => name.includes(".damaged-"));
		expect(readFileSync(join(path, "..", aside!), "utf8")).toBe('{"version":2,"te');
		expect(goodValue(readVersioned(path, KIND, NOW))?.text).toBe("new");
	});

	test.each([
		["a newer ccg's file", () => writeFileSync(path, '{"version":3}'), "ENEWER"],
		["what can't be read", () => mkdirSync(path), "EISDIR"],
	])("does not replace %s", (_, make, code) => {
		make();
		expect(() => writeVersioned(path, KIND, { version: 2, text: "new" })).toThrow(expect.objectContaining({ code }));
		expect(readdirSync(join(path, "..")).filter((name) => name.includes("tmp"))).toEqual([]);
	});

	test("of a record of one moment replaces whatever stands there", () => {
		writeFileSync(path, '{"version":3}');
		writeVersioned(path, { ...KIND, passing: true }, { version: 2, text: "new" });
		expect(goodValue(readVersioned(path, KIND, NOW))?.text).toBe("new");
	});

	test("replaces a link and leaves what it led to", () => {
		const outside = `${path}.outside`;
		writeFileSync(outside, '{"version":2,"text":"mine"}');
		symlinkSync(outside, path);
		expect(readVersioned(path, KIND, NOW)).toMatchObject({ found: "unreadable" });
		writeVersioned(path, KIND, { version: 2, text: "new" });
		expect(readFileSync(outside, "utf8")).toBe('{"version":2,"text":"mine"}');
		expect(goodValue(readVersioned(path, KIND, NOW))?.text).toBe("new");
	});

	test("that must be the first refuses a second", () => {
		writeVersioned(path, KIND, { version: 2, text: "one" }, { exclusive: true });
		expect(() => writeVersioned(path, KIND, { version: 2, text: "two" }, { exclusive: true })).toThrow(
			expect.objectContaining({ code: "EEXIST" }),
		);
		expect(readdirSync(join(path, ".."))).toEqual(["note.json"]);
	});
});

test("two damaged files of one second are both kept", () => {
	for (const text of ["", "{"]) {
		writeFileSync(path, text);
		readVersioned(path, KIND, NOW);
	}
	expect(readdirSync(join(path, "..")).filter((name) => name.includes(".damaged-20260301100000"))).toHaveLength(2);
});
